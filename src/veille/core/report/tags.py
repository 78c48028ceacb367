"""Tags, as people write and count them."""

from __future__ import annotations

from dataclasses import dataclass

from veille.errors import ConfigError

#: Tags that are listed of a dossier; more would be no help.
MOST_TAGS = 200
#: Characters of a tag.
_LONGEST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class TagUse:
    """A tag of a dossier."""

    name: str
    #: The number of sources that have it.
    sources: int
    #: The number of unread documents that have it, or whose source has it.
    unread: int


def tag_named(text: str) -> str:
    """The tag that somebody wrote; ConfigError `bad_tag` if it is none."""
    tag = " ".join(text.split())
    if not tag or len(tag) > _LONGEST or not tag.isprintable() or "," in tag:
        raise ConfigError(
            f"A tag has 1 to {_LONGEST} printable characters and no comma: write one tag.", code="bad_tag"
        )
    return tag
