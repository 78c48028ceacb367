"""Marks that only conversations with models have, and pages have to be taken for a part of one."""

# ruff: noqa: E501 - patterns stand in one line

from __future__ import annotations

import re
from typing import Final

_WHO: Final = r"(?:ai|llm|gpt|bot|chatbot|assistant|agent|model|system)"
_WHAT: Final = (
    r"(?:instructions?|directives?|notes?|prompts?|polic(?:y|ies)|override|hints?|messages?|notice|role|guidance)"
)
_MARKS: Final = re.compile(
    "|".join((
        r"<\|(?:im_start|im_end|system|endoftext|assistant|start_header_id|human|user)\b|</(?:system|assistant)>|(?:^|\s)<(?:system|assistant)>[^<]{10}|</?(?:instructions?|prompt)\b[^<>]{0,40}>",
        r"\[/inst\]|<</?sys>>|(?:^|\s)#{1,6}\s*(?:new )?(?:instructions?|system(?: message| prompt)?|prompt|response|assistant|human)\b\s*(?::|\n)",
        r"^\W*assistant\s*:\s|(?:^|[.!?]\s)\W{0,9}system\s*:\s*(?:you|the (?:user|assistant|model)|all|new|ignore|override|from now|your)\b",
        r"\b(?:user|human)\s*:.{1,200}[.!?]\s+\W{0,5}(?:assistant|ai|bot|model)\s*:|^\W*end of (?:the )?(?:material|context|page|data)\s*[.:-]",
        r'"(?:sentences|quotes)"\s*:|"role"\s*:\s*"(?:system|assistant)"',
        rf"(?:^|[\[<{{(\"'*!-])[\s_]{{0,5}}{_WHO}[ _-]{_WHAT}\b[^\w\n]{{0,4}}(?:[:\]>]|->)\s*\S",
        r"<tool_call>|\"(?:tool|function)_calls?\"\s*:|(?:^|[\[<{*#-])\s*(?:begin|start|end)(?: of)? (?:\w+ )?(?:override|injection|jailbreak|prompt|instructions?|admin mode)\b",
        r"\byou are (?:now )?in (?:\w+ ){0,2}mode\b|\b(?:enter|activate|enable|begin) (?:developer|admin|debug|maintenance|dan) mode\s*[:.!]\s|(?:^|[.:!?]\s)\W{0,9}\[(?:system|assistant)\]:?\s+\w|\b(?:tool|prompt|context)[-_ ]override\s*[\]:]|^\W*(?:debug|admin|developer) mode\s*:|\bsystem override\b",
        r"^\W*(?:call|invoke|trigger) (?:the|your|any) (?:\w+ )?(?:tool|plug-?in)\b",
        r"\b(?:reveal|print|show|repeat|output|leak) (?:me )?(?:your|the) (?:\w+ )?(?:system|initial|hidden) prompt\b",
    ))
)  # fmt: skip
#: One of these is in each mark.
_HINT: Final = re.compile(r"[<\[]|#|:|mode|override|begin|start|end of|prompt|tool|plug|user|human|mode")


def has_mark(text: str) -> bool:
    """Whether a text has such a mark."""
    plain = text.lower()
    return _HINT.search(plain) is not None and _MARKS.search(plain) is not None
