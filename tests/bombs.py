"""Documents made to harm their reader. All are small; what they would unpack to is not."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"


def zipped(parts: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


def docx(document: bytes, **others: bytes) -> bytes:
    return zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": document, **others})


def document(inside: str) -> bytes:
    return f"<w:document {W}><w:body>{inside}</w:body></w:document>".encode()


def swollen_docx() -> bytes:
    """20 MB of blanks in 20 kB, honestly declared."""
    return docx(document(" " * 20_000_000))


def lying_docx() -> bytes:
    """The same, declared as 10 bytes in both places."""
    data = bytearray(swollen_docx())
    size = struct.pack("<I", len(document(" " * 20_000_000)))
    at = data.find(size)
    while at >= 0:
        data[at : at + 4] = struct.pack("<I", 10)
        at = data.find(size, at)
    return bytes(data)


def overlapping_docx() -> bytes:
    """Two directory entries for one stretch of bytes."""
    data = docx(document("<w:p/>"))
    end = data.rfind(b"PK\x05\x06")
    directory = struct.unpack("<I", data[end + 16 : end + 20])[0]
    last = data.rfind(b"PK\x01\x02", 0, end)
    entry = data[last:end].replace(b"word/document.xml", b"word/documenu.xml")
    count = struct.unpack("<H", data[end + 10 : end + 12])[0] + 1
    tail = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, count, count, end - directory + len(entry), directory, 0)
    return data[:end] + entry + tail


def crowded_docx() -> bytes:
    return zipped({"word/document.xml": document("<w:p/>"), **{f"word/media/{n}": b"" for n in range(2_500)}})


def nested_docx() -> bytes:
    """A zip where the text should be."""
    return docx(docx(document("<w:p/>")))


def laughing_docx() -> bytes:
    lines = [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)]
    head = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">{"".join(lines)}]>'
    return docx(head.encode() + document("<w:p><w:r><w:t>&a9;</w:t></w:r></w:p>"))


def hidden_laughing_docx() -> bytes:
    """The same in UTF-16, where a search for the words does not find them."""
    head = '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE x [<!ENTITY a "ha">]>'
    inside = document("<w:p><w:r><w:t>&a;</w:t></w:r></w:p>").decode()
    return docx((head + inside).encode("utf-16"))


def deep_docx(depth: int = 100_000) -> bytes:
    return docx(document("<w:sdt><w:sdtContent>" * depth + "</w:sdtContent></w:sdt>" * depth))


def far_xlsx() -> bytes:
    """One cell in the last corner of the sheet, one in the first: a library that fills the rest needs 400 GB."""
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    return workbook(f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData></worksheet>'.encode())


def shy_xlsx() -> bytes:
    """The same with no addresses on its cells: the corner is not found by looking for them."""
    wide = "<c><v>1</v></c>" * 16_000
    rows = f'<row r="1">{wide}</row><row r="1048576"><c><v>2</v></c></row>'
    return workbook(f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData></worksheet>'.encode())


CONTENT_TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>"""


def workbook(sheet: bytes) -> bytes:
    rels = f'<Relationships xmlns="{PACKAGE_RELS}"><Relationship Id="r1" Type="{RELS}/'
    sheets = '<sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets>'
    book = f'<workbook xmlns="{SHEET}" xmlns:r="{RELS}">{sheets}</workbook>'
    return zipped(
        {
            "[Content_Types].xml": CONTENT_TYPES.encode(),
            "_rels/.rels": f'{rels}officeDocument" Target="xl/workbook.xml"/></Relationships>'.encode(),
            "xl/workbook.xml": book.encode(),
            "xl/_rels/workbook.xml.rels": f'{rels}worksheet" Target="worksheets/sheet1.xml"/></Relationships>'.encode(),
            "xl/worksheets/sheet1.xml": sheet,
        }
    )


def repeated_ods() -> bytes:
    """One word, said to be in every cell of a million rows."""
    cell = f'<t:table-cell t:number-columns-repeated="16384"><x:p xmlns:x="{TEXT}">word</x:p></t:table-cell>'
    row = f'<t:table-row t:number-rows-repeated="1048576">{cell}</t:table-row>'
    content = (
        f'<o:document-content xmlns:o="{OFFICE}" xmlns:t="{TABLE}"><o:body><o:spreadsheet><t:table t:name="a">{row}'
        "</t:table></o:spreadsheet></o:body></o:document-content>"
    )
    mimetype = b"application/vnd.oasis.opendocument.spreadsheet"
    return zipped({"mimetype": mimetype, "content.xml": content.encode()})


def pptx(slide: str, times: int = 1) -> bytes:
    """A presentation that shows one slide so many times."""
    p = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    ids = '<p:sldId r:id="s"/>' * times
    rel = f'<Relationships xmlns="{PACKAGE_RELS}"><Relationship Id="s" Type="{RELS}/slide" Target="slides/slide1.xml"/>'
    return zipped(
        {
            "[Content_Types].xml": b"<Types/>",
            "ppt/presentation.xml": (
                f'<p:presentation {p} xmlns:r="{RELS}"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>'
            ).encode(),
            "ppt/_rels/presentation.xml.rels": f"{rel}</Relationships>".encode(),
            "ppt/slides/slide1.xml": f"<p:sld {p}><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>".encode(),
        }
    )


def deep_pptx(depth: int = 100_000) -> bytes:
    return pptx("<p:grpSp>" * depth + "</p:grpSp>" * depth)


def odp(pages: str) -> bytes:
    draw = "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
    content = (
        f'<o:document-content xmlns:o="{OFFICE}" xmlns:t="{TABLE}" xmlns:x="{TEXT}" xmlns:d="{draw}"><o:body>'
        f"<o:presentation>{pages}</o:presentation></o:body></o:document-content>"
    )
    return zipped({"mimetype": b"application/vnd.oasis.opendocument.presentation", "content.xml": content.encode()})


def pdf(stream: bytes, filters: str, kids: str = "[3 0 R]") -> bytes:
    """A PDF of one page with that content stream."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids{kids}/Count 1>>".encode(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(stream)}/Filter{filters}>>stream\n".encode() + stream + b"\nendstream",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj".encode() + content + b"endobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF".encode()
    return bytes(out)


def swollen_pdf() -> bytes:
    """A few kB that unpack to megabytes that unpack to 500 MB."""
    return pdf(packed(packed_blanks(500_000_000)), "[/FlateDecode/FlateDecode]")


def busy_pdf() -> bytes:
    """Two million drawing orders in 100 kB."""
    return pdf(packed(b"BT /F1 1 Tf (a) Tj ET\n" * 2_000_000), "/FlateDecode")


def endless_pdf() -> bytes:
    """The pages are their own children."""
    return pdf(packed(b"BT ET"), "/FlateDecode", kids="[2 0 R 2 0 R]")


def packed(data: bytes) -> bytes:
    return zlib.compress(data, 9)


def packed_blanks(size: int) -> bytes:
    squeeze = zlib.compressobj(1)
    step = b" " * 1_000_000
    pieces = [squeeze.compress(step) for _ in range(size // len(step))]
    return b"".join([*pieces, squeeze.flush()])


#: Every bomb with the codes it may end in.
BOMBS: dict[str, tuple[Callable[[], bytes], set[str]]] = {
    "swollen.docx": (swollen_docx, {"hostile", "too_large"}),
    "lying.docx": (lying_docx, {"hostile"}),
    "overlapping.docx": (overlapping_docx, {"hostile"}),
    "crowded.docx": (crowded_docx, {"hostile"}),
    "nested.docx": (nested_docx, {"corrupt"}),
    "laughing.docx": (laughing_docx, {"hostile"}),
    "hidden_laughing.docx": (hidden_laughing_docx, {"hostile"}),
    "deep.docx": (deep_docx, {"hostile"}),
    "rather_deep.docx": (lambda: deep_docx(3_000), {"hostile"}),
    "far.xlsx": (far_xlsx, {"too_large"}),
    "repeated.ods": (repeated_ods, {"too_large"}),
    "swollen.pptx": (lambda: pptx(" " * 20_000_000), {"hostile", "too_large"}),
    "deep.pptx": (deep_pptx, {"hostile"}),
    "rather_deep.pptx": (lambda: deep_pptx(3_000), {"hostile"}),
    "long.pptx": (lambda: pptx("", times=3_000), {"too_large"}),
    "deep.odp": (lambda: odp("<d:page>" + "<d:g>" * 3_000 + "</d:g>" * 3_000 + "</d:page>"), {"hostile"}),
    "long.odp": (lambda: odp("<d:page/>" * 3_000), {"too_large"}),
}

#: Those that only a child process can take: they stall, fill the memory or bring the process down.
DEADLY: dict[str, tuple[Callable[[], bytes], set[str]]] = {
    "shy.xlsx": (shy_xlsx, {"hostile", "too_large", "too_slow"}),
    "swollen.pdf": (swollen_pdf, {"hostile", "too_large", "too_slow", "empty"}),
    "busy.pdf": (busy_pdf, {"hostile", "too_large", "too_slow"}),
    "endless.pdf": (endless_pdf, {"hostile", "corrupt", "empty"}),
}
