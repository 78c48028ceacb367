"""What tables of settings are made of: numbers with bounds, addresses, names of hosts, and the table itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, IPvAnyNetwork, field_validator

#: A web address.
WEB = r"^https?://[^\s/?#]+\S*$"
NO_OR_WEB = f"^$|{WEB}"
#: The longest time that can be set, in seconds.
YEAR_S = 366 * 86_400
Seconds = Annotated[float, Field(gt=0, le=YEAR_S)]
Span = Annotated[float, Field(ge=0, le=YEAR_S)]
Pause = Annotated[int, Field(ge=0, le=YEAR_S * 1000)]
Count = Annotated[int, Field(gt=0)]
Amount = Annotated[int, Field(ge=0)]
Networks = tuple[IPvAnyNetwork, ...]


def host_names(names: frozenset[str]) -> frozenset[str]:
    """ValueError for what is no name of a host, such as an address with its scheme."""
    for name in sorted(names):
        if not name or re.search(r"[\s/@]", name):
            raise ValueError(f"{name!r} is no name of a host: write `wiki.corp.example` or `*.corp.example`")
    return names


def _address(url: str) -> str:
    """ValueError for what looks like an address and is none, such as one with a port that there is not."""
    try:
        _ = urlsplit(url).port
    except ValueError as error:
        raise ValueError(f"this is no address: {error}") from error
    return url


#: An address on the web, or, where the pattern of the field allows it, nothing.
WebAddress = Annotated[str, AfterValidator(_address)]


class SettingsTable(BaseModel):
    """Unknown keys, infinity and NaN are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*")
    @classmethod
    def _is_written_out(cls, value: object) -> object:
        """`~` is the home folder, as in a shell."""
        try:
            if isinstance(value, tuple):
                return tuple(one.expanduser() if isinstance(one, Path) else one for one in value)
            return value.expanduser() if isinstance(value, Path) else value
        except RuntimeError as error:
            raise ValueError("there is no home folder that ~ could be") from error
