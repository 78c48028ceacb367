"""Public API of rules: `compile_rule` reads an expression, and what it gives judges facts.

>>> from veille.rules import DocumentText, Facts, Occasion, compile_rule
>>> rule = compile_rule('"smoked tea" appears and not title contains "sale"')
>>> facts = Facts(
...     occasion=Occasion.CHANGE,
...     at=0,
...     change="changed",
...     before=DocumentText(title="Shop", text="Green tea."),
...     after=DocumentText(title="Shop", text="Green tea. Smoked tea is back."),
... )
>>> for evidence in rule.judge(facts) or ():
...     print(evidence.condition, "|", evidence.found, "|", evidence.quote or "-")
"smoked tea" appears | "smoked tea" appeared | Smoked tea is back.
not title contains "sale" | "sale" is not in the title | -
"""

from __future__ import annotations

from veille.core.rules.book import RuleBook
from veille.core.rules.condition import RuleNeeds
from veille.core.rules.facts import DocumentText, Evidence, Extreme, Facts, Occasion
from veille.core.rules.rule import CompiledRule, compile_rule, fired
from veille.core.rules.subject import Subject
from veille.core.rules.tokens import RuleError
from veille.core.values.value import Value, ValueChange, ValueType

__all__ = [
    "CompiledRule",
    "DocumentText",
    "Evidence",
    "Extreme",
    "Facts",
    "Occasion",
    "RuleBook",
    "RuleError",
    "RuleNeeds",
    "Subject",
    "Value",
    "ValueChange",
    "ValueType",
    "compile_rule",
    "fired",
]
