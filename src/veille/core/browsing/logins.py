"""A login that steps made, kept for the next visits: which steps log in, and when it is used again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

from veille.core.browsing.steps import BrowserStep

#: Cookies and storage of a site are kept up to this size, in characters.
MOST_STATE: Final = 100_000
#: As often in a row a login may be refused before it is made anew at every visit: the site does not take it back.
_MOST_REFUSED: Final = 3
_ENTERS: Final = frozenset({"click", "press"})
#: Steps that succeed only where an element is.
_PROVES: Final = frozenset({"wait", "click", "type", "choose"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptLogin:
    """What a browser needs to be logged in again."""

    #: Tells whose login it is: of another address, other steps or another password it is not used.
    made_by: str
    #: Cookies and storage, as JSON of the browser's driver; empty if there are none yet.
    state: str = field(default="", repr=False)
    #: How often in a row it was refused.
    refused: int = 0

    @property
    def is_usable(self) -> bool:
        """Whether to try it."""
        return bool(self.state) and self.refused < _MOST_REFUSED

    def dumped(self) -> str:
        """As text, to be sealed."""
        return json.dumps(asdict(self))

    @classmethod
    def loaded(cls, text: str, made_by: str) -> KeptLogin:
        """The stored login, or an empty one if it is not of these steps or cannot be read."""
        try:
            kept = cls(**json.loads(text)) if text else cls(made_by=made_by)
        except (ValueError, TypeError):
            return cls(made_by=made_by)
        return kept if kept.made_by == made_by else cls(made_by=made_by)


def login_steps(steps: Sequence[BrowserStep]) -> int:
    """How many steps log in: until the first click or key after the last secret; 0 if nothing after them proves it.

    >>> lines = ["type: #user = anna", "type: #word = ${secret:shop}", "click: text=Log in", "wait: .price"]
    >>> steps = [BrowserStep.model_validate(line) for line in lines]
    >>> login_steps(steps), login_steps(steps[:3])
    (3, 0)
    """
    typed = [number for number, step in enumerate(steps) if step.references]
    enters = [number for number, step in enumerate(steps) if typed and number > typed[-1] and step.do in _ENTERS]
    if not enters:
        return 0
    proves = any(step.do in _PROVES and step.target for step in steps[enters[0] + 1 :])
    return enters[0] + 1 if proves else 0


def made_by(url: str, steps: Sequence[BrowserStep], secrets: Iterable[str]) -> str:
    """Tells logins of different addresses, steps or secrets apart."""
    parts = [url, *(step.line for step in steps), *secrets]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
