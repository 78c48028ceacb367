from __future__ import annotations

import pytest

from veille.interfaces.web.views.browsers import browser


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0", "Firefox 127 on Linux"),
        (
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 "
                "Safari/537.36 Edg/126.0.0.0"
            ),
            "Edge 126 on Windows",
        ),
        (
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                "Version/17.5 Mobile/15E148 Safari/604.1"
            ),
            "Safari 17 on iPhone",
        ),
        ("curl/8.5.0", "curl/8.5.0"),
        ("", "unknown"),
    ],
)
def test_a_browser_is_told_in_a_few_words(agent: str, said: str) -> None:
    assert browser(agent) == said
