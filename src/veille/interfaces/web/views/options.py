"""Options of sources in words."""

from __future__ import annotations

from veille.core.kinds import config_type


def option_title(kind: str, name: str) -> str:
    """What the form of a kind of source calls an option."""
    info = config_type(kind).model_fields.get(name)
    return (info.title if info else None) or name.replace("_", " ").capitalize()
