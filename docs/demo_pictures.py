"""Draws the pictures of the demo's camera: `python docs/demo_pictures.py` writes them beside the demo.

They are shipped as files, so that the demo has a picture to compare without a browser and without extras.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw

OUT = Path(__file__).resolve().parent.parent / "src" / "veille" / "interfaces" / "demo" / "pictures"
WIDTH, HEIGHT = 640, 400
#: Of each picture: the ships (where, and their colour), the height of the water, and whether the lamp is lit.
SCENES: tuple[tuple[tuple[tuple[int, str], ...], int, bool], ...] = (
    (((250, "#8c4a2f"), (430, "#274690")), 286, False),
    (((250, "#8c4a2f"), (430, "#274690"), (560, "#2f6b3a")), 262, True),
    (((430, "#274690"),), 286, False),
    ((), 306, True),
)


def main() -> None:
    """Draw them all."""
    OUT.mkdir(exist_ok=True)
    for number, (ships, water, is_lit) in enumerate(SCENES, start=1):
        file = OUT / f"harbour-{number}.webp"
        _scene(ships, water, is_lit=is_lit).save(file, "WEBP", lossless=True, quality=100, method=6)
        print(f"{file.name}: {file.stat().st_size} bytes")


def _scene(ships: tuple[tuple[int, str], ...], water: int, *, is_lit: bool) -> Image.Image:
    # Drawn four times as large and made small: edges are smooth.
    large = Image.new("RGB", (WIDTH * 4, HEIGHT * 4), "#dfe9ee")
    pen = ImageDraw.Draw(large)

    def shape(colour: str, *points: tuple[int, int]) -> None:
        pen.polygon([(4 * x, 4 * y) for x, y in points], fill=colour)

    shape("#c4d3d9", (0, 200), (120, 168), (260, 196), (420, 160), (640, 190), (640, 320), (0, 320))
    for at, colour in ships:
        shape("#f6f4ef", (at - 18, water - 34), (at + 26, water - 34), (at + 26, water - 12), (at - 18, water - 12))
        shape(colour, (at - 52, water - 14), (at + 56, water - 14), (at + 40, water + 18), (at - 38, water + 18))
        shape("#3b4248", (at - 2, water - 78), (at + 2, water - 78), (at + 2, water - 34), (at - 2, water - 34))
        shape(colour, (at + 2, water - 78), (at + 26, water - 70), (at + 2, water - 62))
    shape("#5f9aa8", (0, water), (640, water), (640, 400), (0, 400))
    shape("#4d8796", (0, water + 40), (640, water + 40), (640, 400), (0, 400))
    shape("#8d8577", (0, 250), (130, 250), (150, 400), (0, 400))
    shape("#f6f4ef", (60, 250), (100, 250), (94, 120), (66, 120))
    for top in (140, 184, 228):
        shape("#a4262c", (64, top + 18), (97, top + 18), (96, top), (65, top))
    shape("#3b4248", (60, 120), (100, 120), (100, 112), (60, 112))
    shape("#f4b942" if is_lit else "#b9c4ca", (68, 112), (92, 112), (92, 90), (68, 90))
    shape("#a4262c", (64, 90), (96, 90), (80, 70))
    if is_lit:
        shape("#f3e3b4", (92, 94), (240, 62), (240, 140), (92, 108))
    return large.resize((WIDTH, HEIGHT), Image.Resampling.BOX).quantize(48).convert("RGB")


if __name__ == "__main__":
    main()
