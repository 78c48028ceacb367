"""What a rule is judged by: one change of a document, one change of a source's state, or the time that passed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from veille.core.values.value import Value, ValueChange


class Occasion(StrEnum):
    """What happened, so that a rule may have to be judged."""

    #: A document is new, changed or removed, or one of its values changed.
    CHANGE = "change"
    #: A source changed its state: it broke, or it was repaired.
    HEALTH = "health"
    #: Nothing happened: a source has brought nothing new for some time.
    SILENCE = "silence"
    #: A run of the crawler or of the news workflow ended.
    RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """A document as one revision has it."""

    title: str
    text: str
    lang: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extreme:
    """The lowest and the highest number of a value in the days before a change, without the change itself."""

    name: str
    days: int
    lowest: float | None = None
    highest: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything that the conditions of a rule may look at. What does not apply is empty."""

    occasion: Occasion
    at: int
    #: The number of the change or happening; 0 if it has none.
    seq: int = 0
    #: Empty for a run that has no source.
    source_id: str = ""
    source_name: str = ""
    source_kind: str = ""
    tags: tuple[str, ...] = ()

    # Of a change
    #: `new`, `changed` or `removed`; empty if it is no change.
    change: str = ""
    document_id: str = ""
    url: str = ""
    #: None: there was none before; it was removed.
    before: DocumentText | None = None
    after: DocumentText | None = None
    #: Whether only metadata or values changed; before and after have the same text then.
    is_same_text: bool = False
    #: Whether it was found by the first check of its source: it was there before anybody watched.
    is_first: bool = False
    #: The values that the document has or had, also those that stayed as they are.
    values: tuple[ValueChange, ...] = ()
    #: For the values and days that rules ask for.
    extremes: tuple[Extreme, ...] = ()
    #: The names of the saved searches that find it, of those that rules ask for.
    found_by: frozenset[str] = frozenset()
    #: By how many sources its story is told, itself included; 0 if that is unknown.
    tellers: int = 0

    # Of a state
    #: The states of the source before and after, as `core.models.State` has them.
    state_before: str = ""
    state_after: str = ""
    #: Code and message of its failure, or of the run's; of a removal, why and since when.
    code: str = ""
    message: str = ""
    #: How long the source has brought nothing new, in milliseconds.
    silent_ms: int = 0
    #: Of a run: what ran (`crawl`, `news`), and whether it failed.
    run: str = ""
    has_failed: bool = False

    def value(self, name: str) -> tuple[Value | None, Value | None]:
        """The value before and after; both None if the document does not have it."""
        for one in self.values:
            if one.name == name:
                return one.before, one.after
        return None, None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Why a rule fired: the condition as it was written, and what was found."""

    #: `price < 12`
    condition: str
    #: `price fell from 12.90 EUR to 11.50 EUR`
    found: str
    #: A passage of the text that shows it; empty if there is none.
    quote: str = ""
