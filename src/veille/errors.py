"""The error tree.

    VeilleError            raised on purpose; anything else is a bug and aborts the run
    ├── ConfigError        the user must change something: says which key, what was found, what is allowed
    │   ├── NotFoundError  no dossier, source, document or extension of that name
    │   ├── AmbiguousError several match that prefix or name: lists them
    │   └── SettingError   the program is configured wrongly: says in which file or variable, and under which key
    ├── AccessError        the caller may not do this
    │   ├── LoginError     the caller is not authenticated
    │   ├── ForbiddenError the caller is known, but not allowed
    │   └── ThrottledError too many tries: says when to try again
    ├── ReadError          there was an answer, but it could not be read
    ├── PageError          a page could not be read for a person who asked for it now (`core.show.page_errors`)
    ├── SinkError          a sink refused; recorded for that sink, tried again later
    └── StoreError         our own database failed; nothing was written

A failed fetch is not an exception but a value (`core.traffic.Failure`), because failing is ordinary on the web.
Every error has a stable `code`; the message is for people and says what to do next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import ClassVar


class VeilleError(Exception):
    """Base class of everything raised on purpose."""

    code = "app"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class ConfigError(VeilleError):
    """The user asked for something impossible: says what was found and what is allowed."""

    code = "config"


class NotFoundError(ConfigError):
    """There is nothing of that name; the message lists or hints at what there is."""

    code = "not_found"


class AmbiguousError(ConfigError):
    """The input matches several things: the message lists them."""

    code = "ambiguous"
    #: How many of them a message lists.
    MOST: ClassVar[int] = 10

    def __init__(self, what: str, candidates: Sequence[str], *, code: str | None = None) -> None:
        more = " …" if len(candidates) > self.MOST else ""
        super().__init__(f"{what}; name one of them: {', '.join(candidates[: self.MOST])}{more}.", code=code)
        self.candidates = tuple(candidates)


class SettingError(ConfigError):
    """The program cannot start with this configuration: says where the setting is, and what is wrong with it."""

    code = "bad_setting"


class AccessError(VeilleError):
    """The caller may not do this; subclasses say why. Never reveals whether something hidden exists."""

    code = "access"


class LoginError(AccessError):
    """The caller is not authenticated: credentials are missing or no longer valid."""

    code = "login"


class ForbiddenError(AccessError):
    """The caller is known, but their session or token does not allow this, on any dossier."""

    code = "forbidden"


class ThrottledError(AccessError):
    """Too many tries in a short time."""

    code = "throttled"

    def __init__(self, message: str, *, code: str | None = None, retry_at: int) -> None:
        super().__init__(message, code=code)
        #: Milliseconds since 1970.
        self.retry_at = retry_at


class ReadError(VeilleError):
    """The answer arrived but could not be read; the last good content stays current."""

    code = "read"


class SinkError(VeilleError):
    """A sink could not take a change now; its cursor stays where it is.

    `retry_after`: the seconds it asks us to wait. `set_aside`: it never will; the changes are skipped, and reported.
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
        """Whether the only problem is that another process does not stop writing."""
        return self.code == "store.busy"

    @property
    def is_unreachable(self) -> bool:
        """Whether the only problem is that the server does not answer for now."""
        return self.code == "store.unreachable"

    @property
    def is_passing(self) -> bool:
        """Whether the same may be tried again a little later."""
        return self.is_busy or self.is_unreachable

    @property
    def is_full(self) -> bool:
        """Whether the only problem is that the disk is full."""
        return self.code == "store.full"


def plain_words(message: str) -> str:
    """What a check of ours said, without the words that pydantic puts before it and the full stop."""
    return message.removeprefix("Value error, ").rstrip(".")


def did_you_mean(name: str, known: Iterable[str], closeness: float = 0.6) -> str:
    """A sentence with the nearest known name, with a space before it; empty if none is near."""
    found = get_close_matches(name, known, n=1, cutoff=closeness)
    return f" Did you mean {found[0]}?" if found else ""
