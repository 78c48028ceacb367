"""Make the input files of the document cases: `python tests/cases/documents/make.py`.

Needs LibreOffice and msoffcrypto-tool. The files are committed, so that tests need neither; run this after changing a
source, and read the difference.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = HERE / "sources"
PDF = "pdf:writer_pdf_Export"
LOCK = '{"EncryptFile":{"type":"boolean","value":"true"},"DocumentOpenPassword":{"type":"string","value":"secret"}}'


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        for kind in ("odt", "docx"):
            put(convert(out, SOURCES / "report.fodt", kind), f"report-{kind}")
        put(dated(convert(out, SOURCES / "report.fodt", PDF)), "report-pdf")
        put(convert(out, SOURCES / "report.fodt", f"{PDF}:{LOCK}"), "locked-pdf")
        for kind in ("ods", "xlsx", "xls"):
            put(convert(out, SOURCES / "catch.fods", kind), f"catch-{kind}")
        for kind in ("odp", "pptx"):
            put(convert(out, SOURCES / "slides.fodp", kind), f"slides-{kind}")
        locked = out / "locked.docx"
        document = HERE / "report-docx" / "input.docx"
        subprocess.run(["msoffcrypto-tool", "-e", "-p", "secret", document, locked], check=True)
        put(locked, "locked-docx")
    pack("quirks", "quirks-docx/input.docx")
    pack("book", "book-epub/input.epub")


def convert(out: Path, source: Path, target: str) -> Path:
    """What LibreOffice makes of a source."""
    command = ["soffice", "--headless", "--convert-to", target, "--outdir", str(out), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    return out / f"{source.stem}.{target.split(':', maxsplit=1)[0]}"


def dated(pdf: Path) -> Path:
    """With a date of our own: LibreOffice writes the time of the conversion."""
    data = re.sub(rb"/CreationDate\(D:\d{14}[^)]*\)", rb"/CreationDate(D:20250301093000Z'00')", pdf.read_bytes())
    pdf.write_bytes(data)
    return pdf


def put(made: Path, case: str) -> None:
    folder = HERE / case
    folder.mkdir(exist_ok=True)
    shutil.copyfile(made, folder / f"input{made.suffix}")


def pack(source: str, path: str) -> None:
    """A zip of a source folder that is the same bytes each time; `mimetype` comes first and as it is."""
    folder, target = SOURCES / source, HERE / path
    target.parent.mkdir(exist_ok=True)
    files = sorted(filter(Path.is_file, folder.rglob("*")), key=lambda file: (file.name != "mimetype", str(file)))
    with zipfile.ZipFile(target, "w") as archive:
        for file in files:
            how = zipfile.ZIP_STORED if file.name == "mimetype" else zipfile.ZIP_DEFLATED
            info = zipfile.ZipInfo(str(file.relative_to(folder)), (2025, 1, 1, 0, 0, 0))
            archive.writestr(info, file.read_bytes(), compress_type=how)


if __name__ == "__main__":
    main()
