"""Retrieval for a language model, in 20 lines: `python rag_in_20_lines.py URL "a question" [FOLDER]`."""

import sys

import veille

url, question, *folder = sys.argv[1:]

with veille.open(*folder) as data:
    manual = data.dossier("manual")
    if not manual.sources():
        manual.add(url, kind="site", every="1d")
        manual.check()

    # Without a model of its own veille answers with the best sentences; each is a checked quote of a stored revision.
    answer = manual.ask(question, with_model=False)
    quotes = [quote for statement in answer.statements for quote in statement.citations]

    prompt = "Answer from these quotes only, and name their numbers.\n\n"
    prompt += "\n".join(f"[{n}] {quote.quote} ({quote.url})" for n, quote in enumerate(quotes, start=1))
    print(f"{prompt}\n\nQuestion: {question}")
