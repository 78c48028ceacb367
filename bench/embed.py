"""Chunks that the default embedder embeds per CPU second: `python bench/embed.py`."""

from __future__ import annotations

import random
import resource
import time
from typing import Any

from veille.adapters.embedders.multilingual import MultilingualConfig, MultilingualEmbedder

#: It asks nobody.
NOBODY: Any = None
WORDS = (
    "the old harbour bridge was closed after a flood and is being rebuilt by engineers from three countries"
).split()


def main() -> None:
    embedder = MultilingualEmbedder(MultilingualConfig(), NOBODY)
    embedder.embed(["warm"])
    for words in (120, 250, 512):
        texts = [" ".join(random.choices(WORDS, k=words)) for _ in range(64)]
        begun = time.process_time()
        embedder.embed(texts)
        print(f"{words} words: {64 / (time.process_time() - begun):.0f} chunks per CPU second")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at most")


if __name__ == "__main__":
    main()
