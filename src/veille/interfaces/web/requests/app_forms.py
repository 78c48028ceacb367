"""What reader apps send: parameters in the address and in a form, some of them many times."""

from __future__ import annotations

from collections import defaultdict
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException

from veille.errors import ConfigError

if TYPE_CHECKING:
    from fastapi import Request

#: Apps mark a thousand items and more at once.
_MOST_FIELDS = 20_000
#: Streams are few: every item is compared with each of them, or every one is a write.
_MOST_STREAMS = 100
#: More digits than a store takes.
_TOO_MANY_DIGITS = 19


class AppForm:
    """The parameters of a request, from its address and its form alike."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._values: dict[str, list[str]] = defaultdict(list)
        for name, value in pairs:
            # What is no text is of no use, and no store takes it.
            self._values[name].append(value.encode("utf-8", "replace").decode().replace("\0", ""))

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def one(self, name: str, default: str = "") -> str:
        return self._values[name][0] if self._values.get(name) else default

    def all(self, name: str) -> list[str]:
        return list(self._values.get(name, ()))

    def number(self, name: str, default: int = 0) -> int:
        """A number that is not negative; another one is the default."""
        found = whole_number(self.one(name))
        return default if found is None else found

    def streams(self, name: str) -> list[str]:
        """The ids of streams that have this name."""
        found = self.all(name)
        if len(found) > _MOST_STREAMS:
            raise ConfigError(f"{name} is given {len(found)} times: at most {_MOST_STREAMS}.", code="bad_stream")
        return found


def whole_number(text: str) -> int | None:
    """A number that is not negative; None if it is none, or longer than any of ours."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < _TOO_MANY_DIGITS else None


async def app_form(request: Request, *, in_body: bool = True) -> AppForm:
    """Read what was sent; with `in_body`, also in the body of a POST."""
    pairs = _pairs(request.url.query)
    if request.method == "POST" and in_body:
        if request.headers.get("content-type", "").startswith("multipart/form-data"):
            try:
                form = await request.form(max_files=0, max_fields=_MOST_FIELDS)
            except (UnicodeError, LookupError) as error:
                # The app names a character set that is none, or is not that of what it sends.
                raise HTTPException(HTTPStatus.BAD_REQUEST, "The form cannot be read: send it as UTF-8") from error
            pairs += [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
        else:
            pairs += _pairs((await request.body()).decode("utf-8", "replace"))
    return AppForm(pairs)


def _pairs(text: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"At most {_MOST_FIELDS} parameters at once") from error
