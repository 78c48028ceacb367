"""Templates that users write for webhooks: Jinja2 in a sandbox, over plain values only.

A template gets the message as JSON values: it cannot reach objects of the program. It has no files, no environment and
nothing to import. It may still take any time and memory, so only the workshop renders it, as a task.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from jinja2 import StrictUndefined, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from veille.errors import ConfigError

MAX_TEMPLATE: Final = 20_000
#: Characters that a template may produce.
MAX_RENDERED: Final = 256 * 1024
#: The functions of Jinja2 that a template has; the others make objects with methods.
_FUNCTIONS: Final = frozenset({"range", "dict"})


def rendered(template: str, values: dict[str, Any]) -> str:
    """The template with these values; ConfigError `bad_template` says what is wrong with it, and in which line."""
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    for name in environment.globals.keys() - _FUNCTIONS:
        del environment.globals[name]
    try:
        return _joined(environment.from_string(template).generate(values))
    except TemplateSyntaxError as error:
        raise _refused(f"line {error.lineno}: {error.message}") from error
    except (ConfigError, MemoryError):
        raise
    except Exception as error:
        raise _refused(str(error) or type(error).__name__) from error


def _joined(pieces: Iterable[str]) -> str:
    """The pieces as one text, given up as soon as it is too long."""
    kept: list[str] = []
    left = MAX_RENDERED
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            raise _refused(f"it makes more than {MAX_RENDERED // 1024} thousand characters")
        kept.append(piece)
    return "".join(kept)


def _refused(problem: str) -> ConfigError:
    return ConfigError(f"The template cannot be used: {problem[:300].rstrip('.')}.", code="bad_template")
