"""Whether a sentence says the opposite of what it quotes: a "not" more or less, up for down, from for to."""

# ruff: noqa: E501, RUF001 - tables by language, words of other scripts

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from veille.core.ask.wording import COMPOUND, likeness, telling_words
from veille.core.search.snippets import folded

_NOT: Final = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|\w+n['’]t|hardly|nicht|kein\w*|nie|niemals|niemand"
    r"|ohne|pas|jamais|aucune?|sans|ni|nunca|ningun[oa]?|nadie|sin|non|mai|nessun\w*|senza|nao|nenhum\w*|sem|niet|geen"
    r"|nooit|zonder|не|нет|никогда|нельзя|без|nie|bez)\b|不|没|無|ません|ない"
)
#: Words for two opposite things, by their beginnings: more, open and allowed against less, closed and forbidden.
_OPPOSITES: Final = tuple(
    tuple(re.compile(rf"\b(?:{words})") for words in pair)
    for pair in (
        (
            r"ris(?:e|es|en|ing)\b|rose\b|rais|increas|grow|grew\b|climb|went up|gone up|goes up|higher\b|more\b|dearer|dear\b|expensive|steig|stieg|gestieg|erhoh|teurer|hoher|mehr\b|augment|hausse|plus (?:cher|haut|eleve)|sub(?:e|io|ido|en)\b|aument|mas (?:caro|alto)|stijg|steeg|gesteg|verhoog|duurder|вырос|повыс|увелич|подорож",
            r"fall(?:s|en|ing)?\b|fell\b|drop|decreas|declin|lower|reduc|cut\b|sank\b|shrank|shrink|went down|gone down|goes down|less\b|fewer\b|cheap|sink|sank|gesunken|gefallen|fiel\b|senk|gesenk|billiger|niedriger|weniger\b|baiss|diminu|reduit|moins\b|baj(?:a|o|ado)\b|disminu|menos\b|cal(?:a|ato|o)\b|dimin|meno\b|daal|gedaald|verlaag|goedkoper|снизи|упал|уменьш|подешев",
        ),
        (
            r"open|offn|geoffn|ouvr|ouvert|abr(?:e|en|io|ir|ierto|ierta)\b|abiert|apert|apre\b|открыт|откро",
            r"clos|shut|schlie|geschlo|ferm|cierr|cerr(?:o|ado|ada|ar)\b|chius|chiud|fech|geslot|sluit|закры",
        ),
        (
            r"allow|permit|permis|(?<!\d )(?<!\d\. )(?<!th )(?<!st )may\b(?! \d)|welcome|erlaub|gestatt|willkommen|autoris|permit|admit|toegestaan|разреш|можно",
            r"forbid|forbad|prohibit|ban\b|bans\b|bann|verbot|untersag|interdi|defend|prohib|viet|proib|verbod|запре|нельзя",
        ),
        (r"start|begin|began|begun|beginn|commenc|empiez|inizi|begint|начина", r"end\b|ends|ended|stop|finish|endet|fini|termin|eindig|заканч"),
        (r"before\b|earlier|prior|vor\b|avant\b|antes\b|prima\b|voor\b|раньше|до\b", r"after\b|later|nach\b|apres\b|despues\b|dopo\b|na\b|позже|после"),
        (r"at least|minimum|mindestens|au moins|al menos|almeno|minstens|не менее", r"at most|maximum|up to|hochstens|maximal|au plus|como maximo|al massimo|hoogstens|не более"),
        (r"includ|inklusive|compris|inclu|inbegrepen|включ", r"exclud|exklusive|exclu|исключ"),
        (r"longer|larger|bigger|langer|grosser|plus (?:long|grand)|mas (?:largo|grande)|длиннее|больше", r"shorter|smaller|kurzer|kleiner|plus (?:court|petit)|mas (?:corto|pequeno)|короче|меньше"),
        (r"over\b|above|uber\b|oberhalb|au-dessus|encima|boven|старше|выше", r"under\b|below|unter\b|unterhalb|au-dessous|debajo|onder\b|младше|ниже"),
        (r"free\b|kostenlos|gratuit|gratis|бесплатн", r"paid\b|pays?\b|kostenpflichtig|payant|платн"),
        (r"accept|approv|adopted\b|angenommen|genehmigt|accepte|approuv|acept|accett", r"reject|refus|denied\b|abgelehnt|lehnte|rejet|rechaz|respin"),
        (r"introduc|eingefuhrt|instaur|introdu[cz]", r"abolish|abolit|repeal|scrapped\b|abgeschafft|aboli|supprim"),
        (r"often\b|frequent|oft\b|haufig|souvent|a menudo|spesso|vaak", r"rare|seldom|selten|zelden|raramente"),
    )
)  # fmt: skip
_OPEN_CLOSED: Final = _OPPOSITES[1]
#: What takes a part away: who quotes it says it, too.
_BUT: Final = re.compile(
    r"\b(?:except\w*|apart from|other than|with the exception|excluding|sauf|hormis|excepte\w*|au(?:ss|ß)er|ausgenommen"
    r"|mit ausnahme|salvo|excepto|tranne|eccetto|exceto|behalve|кроме)\b"
)
_ONLY: Final = re.compile(
    r"\b(?:only|solely|exclusively|nur|ausschlie(?:ss|ß)lich|lediglich|seulement|uniquement|solo|solamente|unicamente|soltanto"
    r"|apenas|somente|alleen|slechts|только|лишь)\b"
)
#: What is open until a time closes then: the time after such a word.
_UNTIL: Final = re.compile(
    r"\b(?:until|till|to|before|bis|vor|jusqu['’]a|a|avant|hasta|antes de|fino al?l?e?|prima delle|tot|voor|до|ate)"
    r"\s+(?:(?:the|las|le|dem|zum|as)\s+)?(\d+(?:[.:,]\d+)?)"
)
_CLAUSE: Final = re.compile(
    r"[.;!?:\n。；！？]+(?!\d)|,(?!\d)|\b(?:but|while|whereas|aber|sondern|mais|pero|ma|maar|но)\b"
)
#: A sentence of a model has no more clauses than this; further ones of its quotes are not compared.
_SAID, _COMPARED = 20, 100
_AMOUNT: Final = r"[^\d\s]{0,3}\s?(\d+(?:[.,:]\d+)*)"
_FROM: Final = r"\b(?:from|von|vom|de|du|da|dal|desde|van|с|от)\s+"
_TO: Final = r"\b(?:to|auf|bis|a|au|al|hasta|naar|tot|до|на|ate)\s+"
_FROM_TO: Final = re.compile(rf"{_FROM}{_AMOUNT}[^.\d]{{0,25}}{_TO}{_AMOUNT}")
_TO_FROM: Final = re.compile(rf"{_TO}{_AMOUNT}[^.\d]{{0,25}}{_FROM}{_AMOUNT}")


def contradicts(text: str, quotes: Sequence[str]) -> bool:
    """Whether a sentence says the opposite of its quotes; of two that were replaced by each other, the older is first.

    >>> contradicts("Dogs are allowed.", ["Dogs are not allowed"]), contradicts("No dogs.", ["Dogs are not allowed"])
    (True, False)
    >>> contradicts("It fell from 14 to 12.", ["rose from 12 to 14"])
    True
    """
    plain, quoted = folded(text), [folded(quote) for quote in quotes]
    if _is_exchanged(plain, quoted):
        return True
    theirs = [clause for quote in quoted for clause in _clauses(quote)][:_COMPARED]
    for clause in islice(_clauses(plain), _SAID):
        alike = max(theirs, key=lambda other: (_common(clause, other), _common(other, clause)), default="")
        if _common(clause, alike) and (
            _is_opposite(clause, alike) or (_ONLY.search(alike) and not _ONLY.search(plain))
        ):
            return True
    return any(_BUT.search(quote) for quote in quoted) and not _BUT.search(plain)


def _clauses(text: str) -> Iterator[str]:
    for clause in _CLAUSE.split(text):
        if telling_words(clause):
            yield clause


def _common(one: str, other: str) -> float:
    """How much of the words of a clause another has."""
    words, others = telling_words(one), telling_words(other)
    if not words:
        return 0.0
    return sum(max((likeness(word, there) for there in others), default=0.0) >= COMPOUND for word in words) / len(words)


def _is_opposite(one: str, other: str) -> bool:
    negated = (_NOT.search(one) is None) != (_NOT.search(other) is None)
    told = False
    for up, down in _OPPOSITES:
        sides = [(up.search(text) is not None, down.search(text) is not None) for text in (one, other)]
        # Who has both, or none, says nothing of it.
        if all(side[0] != side[1] for side in sides):
            told = True
            if (up, down) == _OPEN_CLOSED and sides[0] != sides[1] and _is_until_then(one, other):
                return False
            if (sides[0] != sides[1]) != negated:
                return True
    return negated and not told


def _is_until_then(one: str, other: str) -> bool:
    """Whether one says until when, and the other what is then: open until 8 is closed from 8 on."""
    return any(
        time[1] in re.findall(r"\d+(?:[.:,]\d+)?", there)
        for text, there in ((one, other), (other, one))
        for time in _UNTIL.finditer(text)
    )


def _is_exchanged(text: str, quotes: Sequence[str]) -> bool:
    """Whether "from … to …" has another order than the quotes, or "rose" and "fell" one that cannot be."""
    pairs = {pair for quote in quotes for pair in _from_to(quote)}
    every = "\n".join(quotes)
    for first, last in _from_to(text):
        if (first, last) in pairs:
            continue
        if (last, first) in pairs or _place(every, first) > _place(every, last):
            return True
        up, down = _OPPOSITES[0]
        numbers = [
            float(number.replace(",", ".")) for number in (first, last) if re.fullmatch(r"\d+(?:[.,]\d+)?", number)
        ]
        if len(numbers) == 2 and (  # noqa: PLR2004 - both
            (numbers[0] > numbers[1] and up.search(text) and not down.search(text))
            or (numbers[0] < numbers[1] and down.search(text) and not up.search(text))
        ):
            return True
    return False


def _from_to(text: str) -> list[tuple[str, str]]:
    return [(found[1], found[2]) for found in _FROM_TO.finditer(text)] + [
        (found[2], found[1]) for found in _TO_FROM.finditer(text)
    ]


def _place(text: str, number: str) -> int:
    found = re.search(rf"(?<![\d.,:]){re.escape(number)}(?![.,:]?\d)", text)
    return found.start() if found else -1
