"""What an answer is likely to have in it, by the question, and whether a sentence has it."""

# ruff: noqa: RUF001 - words of other scripts

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from typing import Final

from veille.core.ask.time_amounts import NUMBERS
from veille.core.ask.wording import FORM, STOP_WORDS, likeness, words_of
from veille.core.search.snippets import folded
from veille.core.values.currencies import CURRENCY


class Expected(StrEnum):
    """What an answer is likely to have in it."""

    AMOUNT = "amount"
    PRICE = "price"
    DAY = "day"
    CLOCK = "clock"
    PERSON = "person"
    PHONE = "phone"
    EMAIL = "email"
    REASON = "reason"


_WHO_WORDS: Final = "who|whose|wer|wem|wen|qui|quien(?:es)?|chi|quem|кто|кого|kto"
_WHY_WORDS: Final = "why|warum|weshalb|wieso|pourquoi|por que|perche|waarom|почему|зачем|dlaczego"
#: What is done at the hours that are asked for.
_OPENING: Final = (
    r"opening|opens?|clos(?:es?|ing)|geoffnet|offnet|schliesst|ouvert\w*|ouvre|ferme\w*|abr[ei]\w*|cierra\w*|apre|chiude"
    r"|fecha|открыт\w*|закрыва\w*|otwart\w*"
)
_EXPECTED: Final = {
    Expected.AMOUNT: re.compile(
        r"\b(?:how (?:much|many|high|large|big|long|far|old|tall|expensive|often|heavy|deep|wide|fast)"
        r"|prices?|costs?|fees?|rates?|tariffs?|fares?|number of"
        r"|wie ?viele?|wie (?:hoch|teuer|lange?|alt|oft|gross|schwer|weit|schnell)"
        r"|kosten|kostet|kostete|preis\w*|gebuhr\w*|combien|prix|coute\w*|couts?|tarifs?"
        r"|cuant[oa]s?|precios?|cuesta|costaba|tarifas?|quant[oaie]s?|prezz[oi]|costa(?:va)?|precos?"
        r"|custa(?:va)?|hoeveel"
        r"|prijs|prijzen|kostte|сколько|цен[аыу]|стоит|стоил\w*|стоимость|ile|cena|kosztuje|kosztowal\w*)\b"
        r"|いくら|料金|価格|多少|价格|費用"
    ),
    Expected.PRICE: re.compile(
        r"\b(?:how expensive|prices?|costs?|fees?|fares?|wie teuer|kosten|kostet|kostete|preis\w*|gebuhr\w*|prix"
        r"|coute\w*|couts?|precios?|cuestan?|costaban?|prezz[oi]|costan?o?|costa(?:va)?|precos?|custam?|custava"
        r"|prijs|prijzen|kostte"
        r"|цен[аыу]|стоит|стоил\w*|стоимость|kosztuje|kosztowal\w*)\b|いくら|料金|価格|价格|費用"
    ),
    Expected.DAY: re.compile(
        r"\b(?:when|(?:what|which) (?:day|month|year)|welche[mnrs]? (?:tag|monat|jahr)|quel(?:le)? (?:jour|mois|annee)"
        r"|que (?:dia|mes|ano)|che (?:giorno|mese|anno)|dates?|deadlines?|until when|since when"
        r"|wann|frist\w*|datum|termin\w*"
        r"|quand|delai\w*"
        r"|cuando|fechas?|plazo\w*|quando|scadenza|prazo\w*|wanneer|когда|срок\w*|дат[аыу]|kiedy|termin)\b|いつ|何日|什么时候"
    ),
    Expected.CLOCK: re.compile(
        rf"\b(?:what time|opening hours|hours|offnungszeit\w*|uhr|horaires?|heures?|horarios?|orari\w*"
        rf"|openingstijd\w*|час\w*|работает|godzin\w*|{_OPENING})\b|時間|何時|时间|几点"
    ),
    Expected.PERSON: re.compile(
        rf"\b(?:{_WHO_WORDS})\b|誰|谁"
    ),
    Expected.PHONE: re.compile(
        r"\b(?:(?:tele)?phone(?: number)?|numero (?:de|di) tele\w+|telefon\w*|телефон\w*)\b|電話|电话"
    ),
    Expected.EMAIL: re.compile(
        r"\b(?:(?:e-?)?mail(?:[ -]?add?ress?e?)?|adresse (?:e-?)?mail|courriel|correo(?: electronico)?|почт\w+)\b"
        r"|メール|邮箱"
    ),
    Expected.REASON: re.compile(rf"\b(?:{_WHY_WORDS})\b"),
}  # fmt: skip


#: Of these, capital letters tell.
_WRITTEN_LARGE: Final = frozenset({Expected.PERSON, Expected.PRICE})
_CONTACTS: Final = frozenset({Expected.PHONE, Expected.EMAIL})
_BY_NUMBERS: Final = frozenset({Expected.AMOUNT, Expected.DAY, Expected.CLOCK})
_HAS: Final = {
    Expected.AMOUNT: re.compile(r"\d"),
    Expected.DAY: re.compile(
        r"\b\d{1,2}[./]\d{1,2}|\b(?:19|20)\d\d\b|\b\d{1,2}(?:st|nd|rd|th|er|\.)?\s+(?:de\s+)?[^\W\d_]{3,}"
        r"|[^\W\d_]{3,}\s+\d{1,2}\b|\d[月日]"
        r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:mo|diens|mitt|donners|frei|sams|sonn)(?:n?tag|woch)\b"
    ),
    Expected.CLOCK: re.compile(
        r"\b\d{1,2}\s?[:.h時点]\s?\d{0,2}|\b\d{1,2}\s?(?:am|pm|a\.m|p\.m|uhr|heures|час)|[時时点]"
    ),
    Expected.PERSON: re.compile(r"\b[A-ZÀ-ÞА-Я][\w'’-]+\s+(?:[A-ZÀ-ÞА-Я][\w'’-]+|(?:d[eiu]|von|van)\b)"),
    Expected.PRICE: re.compile(
        rf"\d[.,]\d\d\b|{CURRENCY.pattern}"
        r"|\b(?:cents?|centimes?|centimos?|pounds?|pence|penny|pfund|dollars?|dolares|francs?|franken|crowns?|krone[nr]?"
        r"|рубл\w+|zloty\w*|yen|yuan|free|frei|gratis|kostenlos|kostenfrei|umsonst|gratuit\w*|бесплатн\w+|nothing|nichts"
        r"|rien|nada|half|halfte|moitie|mitad)\b"
    ),
    Expected.PHONE: re.compile(r"(?<![a-z\d.,])\+?\d(?:[ ()/.-]{0,2}\d){5,}(?![a-z\d])"),
    Expected.EMAIL: re.compile(r"\w@\w"),
    Expected.REASON: re.compile(
        r"\b(?:because|since|due to|so that|as|for|therefore|to avoid|in order|weil|da|denn|wegen|damit|deshalb|daher"
        r"|car|parce que|afin|pour|grace|porque|debido|ya que|para|perche|poiche|per|omdat|want|wegens"
        r"|потому|поскольку|из-за|так как|чтобы)\b|ため|ので|から|因为"
    ),
}  # fmt: skip


#: A number may be a word: "two metres", "dozens".
_NUMBER: Final = (
    rf"\d[\d.,]*|(?:{'|'.join(word for word, number in NUMBERS.items() if number > 1)})"
    r"|\w{3,}teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|dozens?"
    r"|\w*(?:zehn|zwanzig|dreissig|vierzig|funfzig|sechzig|siebzig|achtzig|neunzig|hunderte?|tausende?|dutzende?)"
    r"|quinze|seize|vingt|trente|quarante|cinquante|soixante|cents?|mille|milliers?|(?:diz|douz|quinz|\w+nt)aine"
    r"|quince|veinte|veinti\w+|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien\w*|mil|docenas?"
)
_VALUE: Final = re.compile(rf"\d|\b(?:{_NUMBER})\b")
_HOW_MANY: Final = r"how many|wie ?viele|combien (?:de|d['’])|cuant[oa]s|quant[ie]|quant[oa]s|hoeveel"
_COUNT: Final = re.compile(rf"\b(?:{_HOW_MANY})\W*(?P<counted>\w+)")
#: So many words may stand between a number and what it counts, or between that and the number: "lamps: 600".
_BETWEEN, _BEHIND = 3, 1
#: Who asks so is answered with a name, or with a reason.
_WHO: Final = re.compile(
    rf"^\W*(?:\w+ )?(?:{_WHO_WORDS})\b"
    r"(?! (?:can|may|must|should|needs?|kann|darf|muss|soll|peut|doit|puede|debe|puo)\b)"
)
_WHY: Final = re.compile(rf"^\W*(?:{_WHY_WORDS})\b")


def expected_by(plain: str, head: str) -> frozenset[Expected]:
    """What an answer to a question is likely to have in it; `head` names what is asked for."""
    found = (one for one, pattern in _EXPECTED.items() if one not in _CONTACTS and pattern.search(plain))
    # "From what time can I phone" asks for no number.
    return frozenset(found).union(one for one in _CONTACTS if _EXPECTED[one].search(head))


def needed_by(plain: str, expected: Collection[Expected]) -> frozenset[Expected]:
    """What any answer has in it, of what is expected: without that, a sentence is only about the same thing."""
    asked = {Expected.AMOUNT: _COUNT, Expected.PERSON: _WHO, Expected.REASON: _WHY}
    always = {Expected.PRICE, *_CONTACTS}
    return frozenset(one for one in expected if one in always or (one in asked and asked[one].search(plain)))


def counted_by(plain: str) -> str:
    """The thing that a question asks the number of; empty if it asks for none."""
    return found["counted"] if (found := _COUNT.search(plain)) else ""


def counts(text: str, thing: str) -> bool:
    """Whether a sentence says how many there are of a thing, or does not name it at all.

    >>> counts("More than 4,000 old lamps are kept.", "lamps"), counts("Courses for seven people or less", "courses")
    (True, False)
    """
    words = re.findall(r"\d[\d.,]*|\w+", folded(text))
    places = [at for at, word in enumerate(words) if likeness(thing, word) >= FORM]
    near = (word for at in places for word in words[max(at - _BETWEEN - 1, 0) : at + _BEHIND + 1])
    return not places or any(re.fullmatch(_NUMBER, word) for word in near)


def kind_words(plain: str, expected: Collection[Expected]) -> frozenset[str]:
    """The words of a question that only say what is expected: "price", "hours", "year" in "what year"."""
    return frozenset(
        word for one in expected for found in _EXPECTED[one].finditer(plain) for word in words_of(found[0])
    )


def opening_words(plain: str) -> frozenset[str]:
    """The words of a question that ask when something opens or closes."""
    return frozenset(words_of(" ".join(re.findall(rf"\b(?:{_OPENING})\b", plain))))


def has_expected(text: str, expected: Expected) -> bool:
    """Whether a sentence has what is likely to answer."""
    return _HAS[expected].search(text if expected in _WRITTEN_LARGE else folded(text)) is not None


def has_value(text: str, expected: Expected, known: AbstractSet[str] = frozenset()) -> bool:
    """Whether a sentence has something of a kind at all: a number may be a word, and an hour or a day any number.

    A name has other words than those that are `known`, which the question and the title have.
    """
    if expected is Expected.PERSON:
        return text == text.lower() == text.upper() or any(
            _is_name(words_of(found[0]), known) for found in _HAS[expected].finditer(text)
        )
    if expected in _BY_NUMBERS:
        plain = folded(text)
        return _VALUE.search(plain) is not None or _HAS[Expected.DAY].search(plain) is not None
    if expected is Expected.PRICE and _EXPECTED[expected].search(folded(text)) and _VALUE.search(folded(text)):
        # "The price of tea is 12."
        return True
    return has_expected(text, expected)


def _is_name(words: Sequence[str], known: AbstractSet[str]) -> bool:
    # What begins a sentence is written large, too.
    return bool(words) and words[0] not in STOP_WORDS and not known >= set(words) - STOP_WORDS
