"""What rules cost: CPU per change and rule where all can match, and how little those cost that cannot.

10,000 rules of mixed kinds over 1,000 changes of texts of 5 kB. Compiling is done before.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veille.core.rules.book import RuleBook
    from veille.core.rules.facts import Facts

RULES, CHANGES, LETTERS = 10_000, 1_000, 5_000
#: Changes that are judged by all rules: each takes as long as the others.
JUDGED = 50
#: CPU per change and rule that is allowed, in microseconds; and how much rules that cannot match may add.
MOST_US, MOST_GROWTH = 20.0, 1.5
WORDS = [f"{a}{b}{c}" for a in ("bra", "ter", "lin", "mo") for b in ("ka", "so", "du", "ve", "ri") for c in "nstlmrp"]


def main(seed: int = 1) -> dict[str, Any]:
    from veille.core.alerts.models import RuleScope

    rng = random.Random(seed)
    changes = [_change(rng, number) for number in range(CHANGES)]
    lines = [_rule(rng) for _ in range(RULES)]
    matching = _book([(line, RuleScope()) for line in lines])
    each = _cost(matching, changes[:JUDGED]) / JUDGED / RULES * 1e6
    few = [(line, RuleScope()) for line in lines[:100]]
    others = [(line, RuleScope(sources=(f"other-{number % 500}",))) for number, line in enumerate(lines)]
    others += [(f"`value {number}` < 5", RuleScope()) for number in range(RULES)]
    others += [("source is silent for 3 days", RuleScope())] * RULES
    alone, among = _book(few), _book(few + others)
    best = [
        min(costs) for costs in zip(*((_cost(alone, changes), _cost(among, changes)) for _ in range(3)), strict=True)
    ]
    growth = best[1] / best[0]
    print(f"\nrules: {RULES:,} over changes of {LETTERS:,} letters")
    print(f"{each:8.2f} µs of CPU per change and rule, at most {MOST_US:g} allowed: {_said(each <= MOST_US)}")
    print(f"{best[0] / CHANGES * 1e3:8.3f} ms per change with 100 rules that can match")
    print(f"{best[1] / CHANGES * 1e3:8.3f} ms with {len(others):,} more that cannot")
    print(f"grows {growth:.2f}×, at most {MOST_GROWTH:g}× allowed: {_said(growth <= MOST_GROWTH)}")
    return {"us_per_change_and_rule": round(each, 3), "growth": round(growth, 3)}


def _said(good: bool) -> str:  # noqa: FBT001 - one thing to say
    return "ok" if good else "TOO MUCH"


def _book(rules: list[tuple[str, Any]]) -> RuleBook:
    from veille.core.rules.book import RuleBook
    from veille.core.rules.rule import compile_rule

    return RuleBook((str(number), scope, compile_rule(line)) for number, (line, scope) in enumerate(rules))


def _cost(book: RuleBook, changes: list[Facts]) -> float:
    """CPU seconds of looking rules up and judging them."""
    from veille.core.rules.subject import Subject

    begun = time.process_time()
    for facts in changes:
        subject = Subject(facts)
        for rule_id in book.candidates(facts):
            book.rules[rule_id].judge(subject)
    return time.process_time() - begun


def _text(rng: random.Random) -> str:
    words = [rng.choice(WORDS) for _ in range(LETTERS // 6)]
    return "\n\n".join(" ".join(words[at : at + 40]).capitalize() + "." for at in range(0, len(words), 40))


def _change(rng: random.Random, number: int) -> Facts:
    from veille.core.rules.facts import DocumentText, Extreme, Facts, Occasion
    from veille.core.values.value import Value, ValueChange, ValueType

    old = _text(rng)
    new = old.replace(rng.choice(WORDS), rng.choice(WORDS), 3)
    prices = [
        Value(name="price", type=ValueType.PRICE, text=f"{one} EUR", number=one, unit="EUR")
        for one in (round(rng.uniform(5, 20), 2), round(rng.uniform(5, 20), 2))
    ]
    return Facts(
        occasion=Occasion.CHANGE,
        at=1_700_000_000_000 + number * 60_000,
        source_id=f"source-{number % 10}",
        change="changed",
        before=DocumentText(title="A shop", text=old, lang="en"),
        after=DocumentText(title="A shop", text=new, lang="en"),
        values=(ValueChange(name="price", before=prices[0], after=prices[1]),),
        extremes=(Extreme(name="price", days=30, lowest=6.0, highest=19.0),),
    )


def _rule(rng: random.Random) -> str:
    word, other, number = rng.choice(WORDS), rng.choice(WORDS), rng.randint(1, 30)
    return rng.choice(
        [
            f"price < {number}",
            f"price falls by {number}%",
            "price is lowest of 30 days",
            f'"{word}" appears',
            f'"{word} {other}" appears',
            f'"{word} {other}" is there and price < {number}',
            f'title contains "{word}" or "{other} {word}" disappears',
            f"matches /{word} {other}|{other}[0-9]+/",
            f'more than {number} words changed and not "{word}" is there',
            f"more than {number}% changed and language is de",
            f"price changes and between 08:00 and {10 + number % 10}:00 Europe/Paris",
            f'only added or (price rises by {number} and not "{word} {other}" appears)',
        ]
    )


if __name__ == "__main__":
    main()
