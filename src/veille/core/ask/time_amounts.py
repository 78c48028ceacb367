"""Amounts of time in words: "three", "half a", "two and a half", "anderthalb"."""

# ruff: noqa: E501, RUF001 - tables by language, words of other scripts

from __future__ import annotations

import re
from typing import Final

NUMBERS: Final = {
    word: at
    for at, words in enumerate(
        (
            "a an one ein eine einem einen einer un une una uno um uma een",
            "two zwei deux dos due dois duas twee два две", "three drei trois tres tre drie три",
            "four vier quatre cuatro quattro quatro четыре", "five funf cinq cinco cinque vijf пять",
            "six sechs seis sei zes шесть", "seven sieben sept siete sette sete zeven семь", "eight acht huit ocho otto oito восемь",
            "nine neun neuf nueve nove negen девять", "ten zehn dix diez dieci dez tien десять", "eleven elf onze undici",
            "twelve zwolf douze doce dodici doze twaalf",
        ),
        1,
    )
    for word in words.split()
}  # fmt: skip
_NUMBER: Final = rf"\d{{1,3}}|{'|'.join(NUMBERS)}"
_ONE_AND_A_HALF: Final = "anderthalb|anderhalve?|полтор[аы]"
_A_HALF: Final = r"(?:(?:an?|one|eine[mnr]?|une?|uma?|een)\s+)?(?:half(?:\s+an?)?|halben?|halbe[rs]|demi|media|medio|mezzo|mezza|meio|meia|halve)"
#: How many: the longest forms first.
AMOUNT: Final = (
    rf"(?:{_NUMBER})\s+and\s+(?:a|one)\s+half|(?:{_NUMBER})[.,]5|{_ONE_AND_A_HALF}|(?:{'|'.join(NUMBERS)})einhalb|{_A_HALF}"
    rf"|(?:a\s+)?couple\s+of|{_NUMBER}"
)
#: What may follow the unit: "un an et demi".
AND_A_HALF: Final = r"(?:\s+(?P<half>and\s+a\s+half|et\s+demie?|y\s+medi[oa]|e\s+mezz[oa]|e\s+mei[oa]|с половинои))?"

UNITS: Final = {
    "day": "days?|tag(?:e|en|s)?|jours?|dias?|giorn[io]|dag(?:en)?|дн\\w+|день",
    "week": "weeks?|wochen?|semaines?|semanas?|settiman[ae]|we(?:ek|ken)|недел\\w+",
    "fortnight": "fortnights?",
    "month": "months?|monat(?:e|en|s)?|mois|mes(?:es)?|mes[ei]|maand(?:en)?|месяц\\w*",
    "quarter": "quarters? of (?:a|the) year|quarters?|vierteljahr(?:e|en|es|s)?|quartal(?:e|en|s)?|trimestr[ei]s?|квартал\\w*",
    "year": "years?|jahr(?:e|en|es|s)?|an(?:s|nees?|no)?|ano?s?|ann[io]|jaar|jaren|год\\w*|лет",
}
MONTHS_OF: Final = {"month": 1, "quarter": 3, "year": 12}


def units() -> str:
    """A pattern for a unit of time; its group says which."""
    return "(?:" + "|".join(f"(?P<u_{name}>{words})" for name, words in UNITS.items()) + ")"


def amount_of(said: str, half: str = "") -> float:
    """How many that is; with what followed the unit.

    >>> amount_of("three"), amount_of("half a"), amount_of("zweieinhalb"), amount_of("two and a half"), amount_of("un", "et demi")
    (3, 0.5, 2.5, 2.5, 1.5)
    """
    extra = 0.5 if half else 0
    words = re.findall(r"\w+", said)
    if said.isdecimal() or said in NUMBERS:
        return (int(said) if said.isdecimal() else NUMBERS[said]) + extra
    if re.fullmatch(_ONE_AND_A_HALF, said):
        return 1.5
    if "couple" in words:
        return 2
    if said.endswith("einhalb"):
        return NUMBERS[said.removesuffix("einhalb")] + 0.5
    if "and" in words or said.endswith(("5",)):
        return amount_of(words[0]) + 0.5
    return 0.5
