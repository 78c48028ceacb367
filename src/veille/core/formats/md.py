"""Markdown: headings, lists, tables and code as sections, without the marks of emphasis and links."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veille.core.dates import parse_date
from veille.core.formats import Format, FormatOptions, Paper, Section, judge, text_in
from veille.core.formats.office.office import people
from veille.core.text import flat

_FRONT = re.compile(r"---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([A-Za-z_-]{1,40}):[ \t]*(.*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
# Every repetition is bounded: this runs in the worker, and a line may be megabytes of open brackets.
_LINK = re.compile(r"!?\[([^\[\]]{0,1000})\]\([^()]{0,2000}(?:\([^()]{0,500}\)[^()]{0,500})?\)")
_CODE = re.compile(r"(`{1,3})(?=[^\s`])(.{1,300}?)(?<=[^\s`])\1")
# As in CommonMark, underscores inside words are no emphasis.
_MARKS = re.compile(
    r"(?P<stars>\*{1,3}|~~)(?=\S)(?P<starred>.{1,300}?)(?<=\S)(?P=stars)"
    r"|(?<!\w)(?P<lines>_{1,3})(?=[^\s_])(?P<lined>.{1,300}?)(?<=[^\s_])(?P=lines)(?!\w)"
)
_APART = re.compile(r"\0(\d+)\0")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


class MdFormat(Format):
    """Front matter gives title, author, date, language and version."""

    media_types = ("text/markdown", "text/x-markdown")
    extensions = ("md", "markdown", "mdown", "mkd")
    is_text = True

    def read(self, data: bytes, options: FormatOptions) -> Paper:
        raw = text_in(data, options.charset).replace("\r\n", "\n").replace("\r", "\n")
        said, body = _front_matter(raw)
        return Paper(
            title=said.get("title", ""),
            authors=people(said.get("author", "") or said.get("authors", "").strip("[]").replace(",", ";")),
            created=parse_date(said.get("date", "") or said.get("created", "")),
            modified=parse_date(said.get("updated", "") or said.get("modified", "")),
            language=said.get("lang", "").partition("-")[0].lower(),
            version_hint=said.get("version", ""),
            sections=tuple(_sections(body)),
            quality=judge(raw, has_images="![" in body),
        )


def _front_matter(raw: str) -> tuple[dict[str, str], str]:
    match = _FRONT.match(raw)
    if match is None:
        return {}, raw
    fields = map(_FIELD.fullmatch, match[1].split("\n"))
    return {field[1].lower(): field[2].strip().strip("\"'") for field in fields if field}, raw[match.end() :]


def _sections(body: str) -> Iterator[Section]:
    lines = body.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        fence = _FENCE.match(line)
        heading = _ATX.match(line)
        if fence:
            rest = range(at + 1, len(lines))
            end = next((row for row in rest if lines[row].strip().startswith(fence[1])), len(lines))
            yield Section(kind="code", text="\n".join(lines[at + 1 : end]))
            at = end + 1
        elif heading:
            yield Section(
                kind="heading", title=_plain(line[heading.end() :].strip().rstrip("#").rstrip()), level=len(heading[1])
            )
            at += 1
        elif line.strip():
            end = _block_end(lines, at)
            yield _block(lines[at:end])
            at = end
        else:
            at += 1


def _block_end(lines: list[str], at: int) -> int:
    in_list = _ITEM.match(lines[at]) is not None
    at += 1
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            following = lines[at + 1] if at + 1 < len(lines) else ""
            # A blank line ends a list only if the next line is neither an item nor indented.
            if not in_list or not (_ITEM.match(following) or following.startswith(("  ", "\t"))):
                return at
        elif _FENCE.match(line) or _ATX.match(line):
            return at
        at += 1
        if not in_list and _SETEXT.fullmatch(line) and not _is_table(lines, at - 2):
            return at
    return at


def _block(lines: list[str]) -> Section:
    if _ITEM.match(lines[0]):
        return Section(kind="list", text="\n".join(_plain(line) for line in lines if line.strip()))
    if _is_table(lines, 0):
        rows = tuple(_cells(line) for line in (lines[0], *lines[2:]))
        return Section(kind="table", rows=rows)
    under = _SETEXT.fullmatch(lines[-1]) if len(lines) > 1 else None
    if under:
        return Section(kind="heading", title=_plain(" ".join(lines[:-1])), level=1 if under[1][0] == "=" else 2)
    text = "\n".join(_plain(line.strip().removeprefix(">").strip()) for line in lines)
    return Section(kind="paragraph", text=text)


def _is_table(lines: list[str], at: int) -> bool:
    return (
        0 <= at < len(lines) - 1
        and "|" in lines[at]
        and "-" in lines[at + 1]
        and bool(_RULE.fullmatch(lines[at + 1].strip()))
    )


def _cells(line: str) -> tuple[str, ...]:
    inside = line.strip().removeprefix("|").removesuffix("|").replace("\\|", "\0")
    return tuple(flat(_plain(cell.replace("\0", "|"))) for cell in inside.split("|"))


def _plain(text: str) -> str:
    """The text without Markdown marks."""
    # What is marked in code stands as it is: it is set apart first.
    codes: list[str] = []

    def apart(code: re.Match[str]) -> str:
        codes.append(code[2])
        return f"\0{len(codes) - 1}\0"

    text = _CODE.sub(apart, text.replace("\0", ""))
    text = _unmarked(_LINK.sub(r"\1", _TAG.sub("", text)))
    return _APART.sub(lambda place: codes[int(place[1])], text).rstrip()


def _unmarked(text: str) -> str:
    return _MARKS.sub(lambda mark: mark["starred"] or mark["lined"], text)
