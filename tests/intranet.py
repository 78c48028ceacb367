"""A company's intranet on loopback, with everything that goes wrong in one."""

from __future__ import annotations

import threading
from xml.sax.saxutils import escape

from bombs import SHEET, document, docx, packed, pdf, workbook
from samples import STORY
from world import Asked, Page, Site

TYPES = ("pdf", "docx", "xlsx")
LARGE = 300 * 1024 * 1024
_MIB = 1024 * 1024
#: A page that is two links away from the front.
_FAR = 11
#: The types that servers name; some name none.
_MEDIA = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/octet-stream",
}


class Intranet:
    """`pages` pages that are linked in circles, the front among them; `papers` documents; and what is broken.

    The last page has a gate: whoever asks for it waits until `gate` is set. `reached` is set when somebody asks.
    """

    def __init__(self, site: Site, pages: int = 200, papers: int = 60) -> None:
        self.site = site
        self.names = ["/", *(f"/wiki/{n}" for n in range(1, pages))]
        self.papers = [f"/files/{n}.{TYPES[n % len(TYPES)]}" for n in range(papers)]
        self.copies = ["/wiki/copy/1", "/wiki/copy/2", "/wiki/copy/3"]
        self.dead = ["/dead/1", "/dead/2", "/dead/3"]
        self.broken = [*self.dead, "/round/a", "/secret", "/torn.pdf", "/large.pdf", "/endless.docx"]
        self.gate = threading.Event()
        self.gate.set()
        self.reached = threading.Event()
        self._fill()

    @property
    def last(self) -> str:
        return self.names[-1]

    def write(self, name: str, text: str) -> None:
        """What a page says, under its links."""
        links = "".join(f"<li><a href='{link}'>{link}</a></li>" for link in self._links(name))
        self.site[name] = (
            f"<html lang=en><head><title>Page {name}</title></head><body><main><h1>{name}</h1><p>{text}</p>"
            f"<p>{name} says: {STORY}</p></main><nav><ul>{links}</ul></nav></body></html>"
        )

    def _links(self, name: str) -> list[str]:
        n, count = self.names.index(name), len(self.names)
        # A tree of ten branches, with a way back and a way around in every page.
        links = [self.names[child] for child in range(10 * n + 1, min(10 * n + 11, count))]
        links += ["/", self.names[(n + 1) % count], self.names[max(n - 1, 0)], f"{name}#top"]
        links += self.papers[n::count]
        # Copies are farther away than what they repeat, so it is known which comes first.
        return links + (self.broken if n == 0 else self.copies if n == _FAR else [])

    def _fill(self) -> None:
        site = self.site
        for name in self.names:
            self.write(name, f"The rules about {name}.")
        for copy, name in zip(self.copies, self.names[1:], strict=False):
            site[copy] = site.pages[name]
        for name in self.papers:
            kind = name.rpartition(".")[2]
            site[name] = Page(paper(kind, f"The form {name}. {STORY}"), type=_MEDIA[kind])
        site["/round/a"] = Page(b"", status=302, headers={"Location": "/round/b"}, validates=False)
        site["/round/b"] = Page(b"", status=302, headers={"Location": "/round/a"}, validates=False)
        site["/secret"] = Page(b"No", status=403, validates=False)
        site["/torn.pdf"] = Page(paper("pdf", "It ends too early.")[:200], type=_MEDIA["pdf"])
        site["/large.pdf"] = Page(bytes(_MIB), type=_MEDIA["pdf"], validates=False, times=LARGE // _MIB)
        site["/endless.docx"] = Page(
            bytes(_MIB), type=_MEDIA["docx"], validates=False, times=LARGE // _MIB, announced=False
        )
        site.made[self.last] = self._at_the_gate

    def _at_the_gate(self, _: Asked) -> Page:
        self.reached.set()
        self.gate.wait(60)
        return self.site.pages[self.last]


def paper(kind: str, text: str) -> bytes:
    """A document of that type that says so."""
    return {"pdf": _pdf, "docx": _docx, "xlsx": _xlsx}[kind](text)


def _pdf(text: str) -> bytes:
    words = text.split()
    lines = [" ".join(words[at : at + 10]) for at in range(0, len(words), 10)]
    shown = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
    return pdf(packed(f"BT /F1 10 Tf 50 700 Td {shown}ET".encode()), "/FlateDecode")


def _docx(text: str) -> bytes:
    return docx(document(f"<w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p>"))


def _xlsx(text: str) -> bytes:
    cells = "".join(
        f'<row r="{n}"><c r="A{n}" t="inlineStr"><is><t>{escape(part)}</t></is></c></row>'
        for n, part in enumerate(text.split(". "), 1)
    )
    return workbook(f'<worksheet xmlns="{SHEET}"><sheetData>{cells}</sheetData></worksheet>'.encode())
