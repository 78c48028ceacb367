from __future__ import annotations

import pytest

from veille.core.show.images import original_images, rewrite_images

BASE = "https://example.org/dir/page"
PROXY = "/api/proxy-image?url=https%3A%2F%2Fexample.org"


@pytest.mark.covers("R-115")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('<img src="/a.png">', f'<img src="{PROXY}%2Fa.png">'),
        ('<img src="b.png?x=1&amp;y=2">', f'<img src="{PROXY}%2Fdir%2Fb.png%3Fx%3D1%26y%3D2">'),
        ('<img data-src="/late.png" src="data:image/gif;base64,AA">', f'<img src="{PROXY}%2Flate.png">'),
        ('<img src="data:image/png;base64,AA">', '<img src="data:image/png;base64,AA">'),
        ('<img src="javascript:alert(1)">', "<img>"),
        ('<img src="http://[broken">', "<img>"),
        (
            '<img srcset="a.png 1x, b,c.png 2x">',
            f'<img srcset="{PROXY}%2Fdir%2Fa.png 1x, {PROXY}%2Fdir%2Fb%2Cc.png 2x">',
        ),
        (
            '<picture><source srcset="/w.webp 100w"><img src="/w.png"></picture>',
            f'<picture><source srcset="{PROXY}%2Fw.webp 100w"><img src="{PROXY}%2Fw.png"></picture>',
        ),
        ("<p>No image, just <b>text</b>.</p>", "<p>No image, just <b>text</b>.</p>"),
    ],
)
def test_images_are_led_through_the_proxy(given: str, expected: str) -> None:
    assert rewrite_images(given, BASE, lambda _: "") == expected


def test_a_signature_is_added_and_the_original_can_be_had_again() -> None:
    given = '<img src="https://example.org/a%20b.png?x=1&amp;y=2">'
    signed = rewrite_images(given, BASE, lambda url: f"&e=9&s={len(url)}")
    assert "&amp;s=" in signed
    assert original_images(signed) == given
