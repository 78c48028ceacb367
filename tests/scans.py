"""Scans for tests: lines of text drawn into a picture of a page, and PDFs of such pictures."""

from __future__ import annotations

import io
import re
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

FONTS = Path("/usr/share/fonts/truetype/dejavu")
DPI = 200
FEW = 6

#: Latin letters of many languages, and digits.
LINES = (
    "The harbour office received 1,284 ships between January and March.",
    "Der Bürgermeister eröffnete die größte Brücke über den Fluss.",
    "Größe: 12,5 km; Höhe: 348 m; Übergänge: 27",
    "Les élèves ont été reçus à l'école près de la forêt où l'été naît.",
    "Ça coûte 45,90 euros, garçon; voilà le château et la fenêtre.",
    "El niño pequeño corrió mañana por la montaña; ¿qué pasó aquí?",
    "La situação econômica não mudou; coração, irmãos e pães.",
    "Città, perché, così, più, università e libertà italiane.",
    "Żółta łódź płynęła ścieżką; gęś, źródło, ćma i ósmy koń.",
    "Příliš žluťoučký kůň úpěl ďábelské ódy v roce 1987.",
    "Işıklı gökyüzü ve büyük şehir; çocuklar öğretmen ağaç.",  # noqa: RUF001 - Turkish
    "Smörgåsbord på ön; blåbær, kærlighed og ærø i København.",
    "Őrült tükörfúrógép és árvíztűrő csűr; 3 000 forint.",
    "Invoice 2024-11-05, reference QX-99817, total 7,340.25 EUR",
    "Members voted 34 to 12 against the proposal on Thursday.",
)


def font(name: str = "DejaVuSans", points: float = 11) -> ImageFont.FreeTypeFont:
    """A font with these letters; `make test` installs it (Debian: fonts-dejavu-core)."""
    return ImageFont.truetype(FONTS / f"{name}.ttf", points * DPI / 72)


def page(lines: tuple[str, ...] = LINES, name: str = "DejaVuSans", points: float = 11) -> Image.Image:
    """An A4 page at 200 dpi; of a page of a few lines the upper third, which is recognised in a third of the time."""
    picture = Image.new("L", (1654, 2339 if len(lines) > FEW else 800), 255)
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        draw.text((160, 200 + number * points * DPI / 72 * 1.6), line, fill=0, font=font(name, points))
    return picture


def scan(*pages: Image.Image) -> bytes:
    """A PDF of pictures."""
    file = io.BytesIO()
    pages[0].save(file, "PDF", resolution=DPI, save_all=True, append_images=pages[1:])
    return file.getvalue()


def picture_file(picture: Image.Image, form: str = "PNG", **options: object) -> bytes:
    """The bytes of a picture."""
    file = io.BytesIO()
    picture.save(file, form, **options)
    return file.getvalue()


def recall(text: str, lines: tuple[str, ...] = LINES) -> float:
    """The share of the words that the text has, with their accents and digits."""
    wanted, found = re.findall(r"\w+", " ".join(lines)), set(re.findall(r"\w+", text))
    return sum(word in found for word in wanted) / len(wanted)
