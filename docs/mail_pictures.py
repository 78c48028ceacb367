"""Pictures of a mail of each kind, light, dark and on a phone, for `docs/screenshots/`; see `make screenshots`."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from typing import Final, Literal

from PIL import Image
from playwright.sync_api import ViewportSize, sync_playwright

from mail_samples import SAMPLES
from veille.core.alerts.mail import mail_html

CHROMIUM: Final = Path("/usr/bin/chromium")
OUT: Final = Path(__file__).resolve().parent / "screenshots"
#: Each look with its screen.
LOOKS: Final[dict[str, tuple[Literal["light", "dark"], ViewportSize]]] = {
    "light": ("light", ViewportSize(width=680, height=400)),
    "dark": ("dark", ViewportSize(width=680, height=400)),
    "phone": ("light", ViewportSize(width=390, height=700)),
}


def _small(picture: bytes) -> bytes:
    """The same picture in a quarter of the bytes: mails have few colours."""
    out = BytesIO()
    Image.open(BytesIO(picture)).convert("RGB").quantize(64).save(out, "PNG", optimize=True)
    return out.getvalue()


def main() -> None:
    """Render every sample in every look."""
    OUT.mkdir(exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, chromium_sandbox=os.geteuid() != 0)
        for look, (scheme, size) in LOOKS.items():
            page = browser.new_page(viewport=size, color_scheme=scheme)
            for kind, message in SAMPLES.items():
                page.set_content(mail_html(message))
                file = OUT / f"mail-{kind}-{look}.png"
                file.write_bytes(_small(page.screenshot(full_page=True)))
                print(f"{file.name}: {file.stat().st_size // 1024} KB")
        browser.close()


if __name__ == "__main__":
    main()
