from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest

import veille
from vectors import Embeddings
from veille.errors import SinkError
from veille.ports import Embedder
from world import Page, Site

TEXTS = [
    "The bridge was closed.",
    "",
    "\0",
    "日本語の文",
    "🦊" * 50,
    "word " * 3000,
    "a\ud7ffb",
    "The bridge was closed.",
]


@pytest.fixture(params=["english", "multilingual", "openai", "none"])
def embedder(request: pytest.FixtureRequest, site: Site, app: veille.App) -> Embedder:
    options = Embeddings(site).options | {"batch": 3} if request.param == "openai" else {"kind": request.param}
    return app.embedder(options)


@pytest.mark.covers("R-134")
def test_every_text_has_a_vector_of_its_own_whatever_stands_beside_it(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert len(vectors) == len(TEXTS)
    assert len({len(vector) for vector in vectors}) == 1
    assert all(math.isfinite(number) for vector in vectors for number in vector)
    assert vectors[0] == pytest.approx(vectors[-1], abs=1e-6)
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert embedder.embed([text])[0] == pytest.approx(vector, abs=1e-6)
    assert embedder.embed([]) == []
    assert embedder.name == embedder.name.strip() != ""


@pytest.mark.parametrize(
    "answer",
    [
        b"<html>", b"[]", b"{}", {"data": []}, {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 1, "embedding": [1.0]}]}, {"data": [{"index": 0, "embedding": ["x"]}]},
        {"data": [{"index": 0, "embedding": [float("nan")]}]}, {"data": [{"index": 0, "embedding": [1.0]}] * 2},
        {"data": [{"index": 0, "embedding": [10**400]}]}, {"data": [{"index": 0, "embedding": [-1e300]}]},
        b"[" * 200_000,
    ],
    ids=lambda answer: repr(answer)[:60],
)  # fmt: skip
def test_an_answer_without_a_vector_for_every_text_is_refused(site: Site, app: veille.App, answer: object) -> None:
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    site["/v1/embeddings"] = Page(body, type="application/json", validates=False)
    embedder = app.embedder({"kind": "openai", "url": f"{site.url}/v1/embeddings", "model": "m"})
    with pytest.raises(SinkError, match="/v1/embeddings") as caught:
        embedder.embed(["text"])
    assert caught.value.code == "sink.embedder"


def test_a_service_may_be_private_but_does_not_send_us_on(site: Site, app: veille.App) -> None:
    site["/v1/embeddings"] = Page(b"", status=307, headers={"Location": f"{site.url}/elsewhere"}, validates=False)
    embedder = app.embedder({"kind": "openai", "url": f"{site.url}/v1/embeddings", "model": "m", "token": "t0ken"})
    with pytest.raises(SinkError) as caught:
        embedder.embed(["text"])
    assert "t0ken" not in str(caught.value)
    assert [seen.path for seen in site.seen] == ["/v1/embeddings"]


def test_long_texts_are_embedded_in_bounded_memory() -> None:
    script = (
        "import re\n"
        "from veille.adapters.embedders.multilingual import MultilingualConfig, MultilingualEmbedder\n"
        "embedder = MultilingualEmbedder(MultilingualConfig(), None)\n"
        "embedder.embed(['harbour bridge ' * 5000] * 2)\n"
        # Its own: what `getrusage` says begins with the size of the process it was started by.
        "print(int(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1]) // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 450
