"""The version of this program, which is also recorded in what it writes."""

from __future__ import annotations

from pathlib import Path


def _version() -> str:
    """As the build wrote it (`setup.py`, which asks Git); sources that were never built have no number."""
    try:
        return Path(__file__).with_name("version.txt").read_text("ascii").strip()
    except OSError:
        return "0+unbuilt"


VERSION = _version()
