"""The command lines in the documentation."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROGRAMS = {"veille", "meri"}
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_TABLE = re.compile(r"```cron(?:tab)?\n(.*?)```", re.DOTALL)
#: The times of a line of cron.
_TIMES = re.compile(r"^(?:[\d*/,-]+ +){5}", re.MULTILINE)
#: Where a command line ends and another program begins.
_ENDS = {"|", "&&", "||", ";", ">", ">>", "<", "2>", "2>&1", "&", "(", ")"}
#: In a word, as in `#map`, it is no comment.
_COMMENT = re.compile(r"\s# .*$", re.MULTILINE)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*=\S*$")


def _commands(page: Path) -> list[str]:
    """What is typed after `$`, or by cron, with continued lines joined, and without comments."""
    written = page.read_text(encoding="utf-8")
    # In cron a percent sign is escaped.
    tables = [_TIMES.sub("$ ", table).replace("\\%", "%") for table in _TABLE.findall(written)]
    text = "\n".join(_BLOCK.findall(written) + tables).replace("\\\n", " ")
    # What is quoted may go on in the next lines.
    return [_closed(part) for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]


def _closed(part: str) -> str:
    """The lines of a command, up to the first that closes all quotes."""
    lines = part.splitlines()
    for end in range(1, len(lines) + 1):
        try:
            shlex.split("\n".join(lines[:end]), comments=True)
        except ValueError:
            continue
        return "\n".join(lines[:end])
    return lines[0]


def _calls(line: str) -> list[list[str]]:
    """The words of each call of our programs in a command line."""
    words = shlex.shlex(_COMMENT.sub("", line), posix=True, punctuation_chars=True)
    words.whitespace_split = True
    words.commenters = ""
    calls: list[list[str]] = [[]]
    for word in words:
        if word in _ENDS:
            calls.append([])
        elif calls[-1] or not _VARIABLE.match(word):
            calls[-1].append(word)
    named = [[call[0].removeprefix(".venv/bin/"), *call[1:]] for call in calls if call]
    return [call for call in named if call[0] in PROGRAMS]


CASES = [(page.name, call) for page in PAGES for line in _commands(page) for call in _calls(line)]
