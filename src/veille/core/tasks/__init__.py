"""Work on bytes from sites, and on selectors and patterns from users, as values.

A task is pure, but may take any amount of time, because its input is untrusted. So only the workshop runs tasks, in a
separate process and with a deadline. The modules of this package have one or a few of them each: a process that asks
for one kind of work loads no other.
"""

from __future__ import annotations

import pkgutil
from abc import ABC, abstractmethod
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar, get_type_hints

Result = TypeVar("Result")


class Task(ABC, Generic[Result]):
    """A job for the workshop; the bytes to process are passed separately."""

    @abstractmethod
    def run(self, body: bytes) -> Result:
        """Return the result, or raise a VeilleError that says why there is none."""

    def is_long(self, body: bytes) -> bool:
        """Whether it may take minutes, so that it has limits and a process of its own; by the first bytes alone."""
        del body
        return False

    #: Whether it runs code of others that expects a network: it has a process of its own, which still has none.
    is_foreign: ClassVar[bool] = False


@cache
def result_type(task: type[Task[Any]]) -> Any:
    """The type of a task's result."""
    return get_type_hints(task.run)["return"]


@cache
def task_named(name: str) -> type[Task[Any]]:
    """The task of this name; KeyError if there is none. Further modules are loaded only if it is in none that is."""
    loaded = {task.__name__: task for task in Task.__subclasses__()}
    return loaded[name] if name in loaded else every_task()[name]


@cache
def every_task() -> dict[str, type[Task[Any]]]:
    """All tasks by name: the separate process accepts these and nothing else."""
    for module in pkgutil.iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return {task.__name__: task for task in Task.__subclasses__()}
