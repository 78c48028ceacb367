"""The error tree.

    VeilleError            raised on purpose; anything else is a bug and aborts the run
    ├── ConfigError        the user must change something: says which key, what was found, what is allowed
    │   ├── NotFoundError  no dossier, source, document or extension of that name
    │   ├── AmbiguousError several that begin so, or have that name: lists them
    │   └── SettingError   the program is configured wrongly: says in which file or variable, and under which key
    ├── AccessError        whoever asks may not
    │   ├── LoginError     it is not known who asks
    │   ├── ForbiddenError it is known, and they may not do this
    │   └── ThrottledError not so often: says when again
    ├── ReadError          it answered, but the bytes could not be read
    ├── SinkError          a sink refused; recorded for that sink, tried again later
    └── StoreError         our own database failed; nothing was written

A failed fetch is not an exception but a value (`core.traffic.Failure`), because failing is ordinary on the web.
Every error has a stable `code`; the message is for people and says what to do next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class VeilleError(Exception):
    """The root of everything raised on purpose."""

    code = "app"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class ConfigError(VeilleError):
    """The user asked for something that cannot be: says what was found and what is allowed."""

    code = "config"


class NotFoundError(ConfigError):
    """There is nothing of that name; the message lists or hints at what there is."""

    code = "not_found"


class AmbiguousError(ConfigError):
    """Several things are meant by what somebody wrote: the message lists them."""

    code = "ambiguous"
    #: How many a message lists.
    MOST: ClassVar[int] = 10

    def __init__(self, what: str, candidates: Sequence[str], *, code: str | None = None) -> None:
        more = " …" if len(candidates) > self.MOST else ""
        super().__init__(f"{what}; name one of them: {', '.join(candidates[: self.MOST])}{more}.", code=code)
        self.candidates = tuple(candidates)


class SettingError(ConfigError):
    """The program cannot start as it is configured: says where that is written, and what is wrong with it."""

    code = "bad_setting"


class AccessError(VeilleError):
    """Whoever asks may not; the kinds of it say why. Never tells whether something hidden exists."""

    code = "access"


class LoginError(AccessError):
    """It is not known who asks: nothing was shown that proves it, or it is no longer good."""

    code = "login"


class ForbiddenError(AccessError):
    """It is known who asks, and their way in does not allow this, on whatever dossier."""

    code = "forbidden"


class ThrottledError(AccessError):
    """Too often in too short a time."""

    code = "throttled"

    def __init__(self, message: str, *, code: str | None = None, retry_at: int) -> None:
        super().__init__(message, code=code)
        #: Milliseconds since 1970.
        self.retry_at = retry_at


class ReadError(VeilleError):
    """The answer arrived but could not be understood; the last good content stays current."""

    code = "read"


class SinkError(VeilleError):
    """A sink could not take a change now; its cursor stays where it is.

    `retry_after`: the seconds it asks us to wait. `set_aside`: it never will; the changes are passed over, and told of.
    """

    code = "sink"

    def __init__(
        self, message: str, *, code: str | None = None, retry_after: int | None = None, set_aside: bool = False
    ) -> None:
        super().__init__(message, code=code)
        self.retry_after = retry_after
        self.set_aside = set_aside


class StoreError(VeilleError):
    """Our own database failed; the transaction was rolled back."""

    code = "store"

    @property
    def is_busy(self) -> bool:
        """Whether all that is wrong is that somebody else is writing, and does not come to an end."""
        return self.code == "store.busy"

    @property
    def is_full(self) -> bool:
        """Whether all that is wrong is that the disk has no room."""
        return self.code == "store.full"
