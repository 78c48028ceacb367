"""Pages that wait for a script are told by one look at them, whatever they are."""

from __future__ import annotations

from time import process_time

import pytest

from veille.core.http.shell import MAX_BYTES, is_empty_shell

#: CPU seconds; each of these took 6 and more.
SOON = 2


@pytest.mark.parametrize(
    ("page", "is_shell"),
    [
        (b"<body><div id=app></div><script src=a.js></script>", True),
        (b"<head><title>A title of a page that is longer than that</title></head><app-root></app-root><script>", True),
        (b"<noscript>You need to enable <b>JavaScript</b> to run this app.</noscript><script></script>", True),
        (b"<div id=app><p>" + b"words " * 30 + b"</p></div><script></script>", False),
        (b"<div id=application></div><script></script>", False),
        (b"<div id=app></div>", False),
        (b"<!-- <div id=app> --><script></script>", False),
    ],
)
def test_a_shell_is_a_page_without_text_that_a_script_is_to_fill(page: bytes, is_shell: bool) -> None:  # noqa: FBT001
    assert is_empty_shell(page) is is_shell


@pytest.mark.parametrize(
    "piece",
    [b"<script>", b"<noscript>", b"<div ", b"<div id=", b"<div id   ", b"<!--", b"<", b"<head><style>", b"<svg>"],
)
def test_a_page_of_opening_tags_only_takes_little_time(piece: bytes) -> None:
    start = b'<script></script><div id="root">'
    page = start + piece * ((MAX_BYTES - len(start)) // len(piece))
    began = process_time()
    is_empty_shell(page)
    assert process_time() - began < SOON
