"""Find values in texts that sites sent."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.tasks import Task
from veille.core.values.changing import ChangingNumber, changing_numbers
from veille.core.values.near import value_near
from veille.core.values.value import Value
from veille.core.values.wishes import ValueWish


@dataclass(frozen=True, slots=True, kw_only=True)
class FindChangingNumbers(Task[list[ChangingNumber]]):
    """The numbers that changed in place between texts of one document, the oldest first."""

    texts: tuple[str, ...]
    lang: str = ""

    def run(self, body: bytes) -> list[ChangingNumber]:
        del body
        return changing_numbers(self.texts, lang=self.lang)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindValuesNear(Task[list[list[Value]]]):
    """The values that stand near the words of these wishes, by name, in each of the texts."""

    texts: tuple[str, ...]
    wishes: dict[str, ValueWish]
    lang: str = ""

    def run(self, body: bytes) -> list[list[Value]]:
        del body
        return [
            [
                found
                for name, wish in self.wishes.items()
                if (found := value_near(name, text, wish.near, wish.type, lang=self.lang)) is not None
            ]
            for text in self.texts
        ]
