"""Times in a question: "since March", "as of 1 May 2026", "zwischen März und Mai", "la semaine dernière"."""

# ruff: noqa: RUF001 - words of other scripts

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from veille.core.ask.days import NamedTime, named_times, year_before
from veille.core.ask.parts import Needs
from veille.core.search.snippets import folded


class TimeRelation(StrEnum):
    """How what is asked relates to a time."""

    #: What was so at that time.
    AT = "at"
    #: What became so after the beginning of that time.
    SINCE = "since"


@dataclass(frozen=True, slots=True)
class Moment:
    """A time that a question names: from `start` to before `end`, in milliseconds; and where the words for it are."""

    relation: TimeRelation
    start: int
    end: int
    place: tuple[int, int]
    #: Whether the question says outright that it means the state of a day ("as of").
    is_strict: bool = False
    #: Whether it names the end of a time only ("until", "before"): its changes are all those up to then.
    is_until: bool = False


#: The end of a time that has none, and the beginning of one that has none.
FOREVER: Final = 2**62
BEGINNING: Final = 0
_DAY_MS: Final = 86_400_000

_SINCE: Final = r"since|seit(?:dem)?|depuis|desde|dal(?:la|l')?|da|sinds|с|со|od|starting|beginning"
#: In some languages such words follow the date.
_SINCE_BEHIND: Final = re.compile(r"\s*(?:から|以来|以降|起|之后|以后)")
_AFTER: Final = r"after|nach|apres|despues del?|dopo|depois de|na|после"
_BEFORE: Final = r"before|prior to|vor|avant|antes del?|prima (?:di|del|dell['’])|antes d[eo]|voor|до|przed"
_UNTIL: Final = r"until|till|up to|up until|by|bis(?: zum)?|jusqu'(?:au|a|en)|hasta|fino (?:a|al)|ate|tot"
_AS_OF: Final = (
    r"as[ -]?of|as at|as on|stand(?: vom| am)?|zum stand|per|zum stichtag|en date du|a la date du|a fecha de|"
    r"alla data del|по состоянию на"
)
_ON: Final = (
    r"back in|in the course of|within|throughout|over|innerhalb(?: von)?|im laufe|binnen|wahrend"
    r"|au cours d[eu]s?|pendant|durante|dentro del?|a lo largo del?|entro|nell'arco di"
    r"|nel corso d(?:i|ei|egli|elle)|negli|nelle|nos|nas"
    r"|ao longo d[eoa]s?|gedurende|в течение|за"
    r"|on|in|during|at|am|im|in der|en|au|le|el|nel|nell'|in de|op|em|na|no|du|de|del|di|of|for|from|"
    r"в|во|на|w|um|zum"
)
_AND: Final = r"and|und|et|y|e|en|и|i"
_TO: Final = r"to|until|till|through|bis|a|au|al|ate|hasta|tot|до|по"
_BETWEEN: Final = r"between|zwischen|entre|tra|fra|tussen|между"
_FROM: Final = r"from|von|vom|du|de|desde|dal|da|van|с|от"
#: `since:7d`: an age instead of a date.
_AGE: Final = re.compile(r"\b(since|as[ -]?of|at|before|until):\s?(\d{1,4})([hdwmy])(?!\w)")
_HOURS: Final = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24, "y": 365 * 24}
_LEAD: Final = re.compile(
    rf"\b(?:(?P<between>{_BETWEEN})|(?P<asof>{_AS_OF})|(?P<since>{_SINCE})|(?P<after>{_AFTER})|(?P<before>{_BEFORE})"
    rf"|(?P<until>{_UNTIL})|(?P<on>{_ON}))(?:\s+(?:the|dem|den|der|dieser|dieses|le|la|les|l['’]|el|los|las|il|gli|het|de"
    rf"|mes de|mese di|mois de))?"
    rf"(?:\s*\b(?:year|jahre?|annee|an|ano|anno|jaar|roku))?(?:[\s:]+|(?<=['’]))$"
)
#: "Since" and what it is followed by: some words and no time of their own.
_SINCE_OTHER: Final = re.compile(r"(?<=\w )(?:since|seit|depuis|sinds)\s+(?:[\w.'’-]+ +){1,4}$")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
#: Four digits are none of these as part of something longer, and in front of a unit: "E-2077", "2000 euros".
_NUMBER_BEFORE: Final = re.compile(r"[\w./_$€£#+-]$")
_NUMBER_BEHIND: Final = re.compile(
    r"(?:\s*(?:-|–|and|or|to|und|oder|bis|et|ou|y|o|e|a)\s*\d+)?"
    r"(?:[.,]\d|[-_][^\W\d]|\s*(?:[€$£%°]|(?:euros?|eur|cents?"
    r"|dollars?|dolares|usd|pounds?|pfund|gbp|francs?|franken|chf|kronen|kroner|rubles?|рубл\w+|zloty\w*|yen|yuan|points?"
    r"|percent|prozent|people|persons?|personen|personnes|personas|users?|members|mitglieder|inhabitants|einwohner"
    r"|habitants|copies|pages|seiten|items|words|worter|mots|characters|zeichen|votes|stimmen|places|seats|platze|plazas"
    r"|times|mal|fois|veces|[kmc]?m|met(?:re|er)s?|metros|metri|kilomet\w+|feet|ft|miles?|[km]?g|kilos?|grams?|gramm"
    r"|tons?|tonn\w*|lit(?:re|er)s?|[km]w|kwh|watts?|volts?|[kmg]b|bytes?|[kmg]?hz|rpm|kcal|calories|hours?|stunden"
    r"|heures|horas|minutes?|minuten|minutos|seconds?|sekunden|days|tage|jours|dias|years|jahre|ans|anos)\b))"
)
#: What is numbered, and what has a day in every year.
_NUMBERED: Final = re.compile(
    r"\b(?:errors?|fehler\w*|erreurs?|room|raum|zimmer|salle|sala|ports?|codes?|numbers?|nummer|no|nr|numero|version"
    r"|models?|modell?e?|modelo|types?|typ|lines?|linie|ligne|linea|sections?|pages?|seite|articles?|artikel|chapter"
    r"|rfc|iso|din|bus|flight|flug|vol|route|road|ticket|issue|bug|case|id|pin|order|invoice|rechnung|extension|zip|plz|fiscal|phone|telefon|tel"
    r"|event|message|paragraph|locker|house|building|office|size|channel)\s+$"
)
_FEAST: Final = re.compile(
    r"\b(?:easter|christmas|new year'?s?(?: eve| day)?|ostern|weihnachten|pfingsten|silvester|paques|noel|navidad"
    r"|pascua|pasqua|natale|natal|pasen|kerst|term|semester|season|saison|temporada)\s+$"
)
#: At places and hours, not in years.
_PLACE_LEADS: Final = frozenset(("on", "at", "um", "zum", "le", "el", "op"))
#: "The menu of Christmas" has no time, nor has "the price for the summer".
_OF_SOMETHING: Final = frozenset(("of", "for", "from", "de", "du", "del", "di"))
#: What leads to a feast, and to nothing else: "an Weihnachten", "à Noël".
_AT_FEASTS: Final = re.compile(r"\b(?:an|a|met|uber|op)\s+$")
_OTHER_YEAR: Final = re.compile(r"((?:19|20)\d\d)\s*(?:,|-|–|/|and|or|und|oder|et|ou|y|o|e|en|of|и|или)\s*$")
#: What may follow a year at the end of a question: the participle of a German or Dutch one.
_END: Final = re.compile(r"\W*(?:(?:ge|ver|er|be)\w+)?\W*$")
#: What looks like a time and was not read: dates that are none, ages of things that nobody counts.
_UNREAD: Final = re.compile(
    r"\b(?:since|as[ -]?of|until|before):\s*\S+|\b(?:19|20)\d\d-\d\d?(?:-\d\d?)?\b"
    r"|\b\d{1,2}[./-]\d{1,2}[./-](?:\d{4}|\d\d)\b"
    r"|\b(?:since|as of|seit|depuis|sinds) (?:the )?(?:\w+ ){0,2}"
    r"(?:\d[\w./-]*|quarter|term|season|spring|summer|autumn|winter"
    r"|easter|christmas|ostern|weihnachten|fruhjahr|sommer|herbst|noel|paques|printemps|ete|automne|hiver)\b"
    r"|\b\w+ \w+ ago\b"
)


#: What follows "since" and is no time that was read: "since the fire".
_UNREAD_SINCE: Final = re.compile(
    r"(?<=\w )\b(?:since|seit(?:dem)?|depuis|sinds)\s+(?!when\b|wann\b|quand\b|wanneer\b"
    r"|(?:i|you|we|they|he|she|it|there|then|ich|wir|sie|er|es|je|nous|on)\b)[\w.,'’/-]*\w(?:\s+(?!geander|verander|gewijzigd)[\w.,'’/-]*\w){0,4}"
)


def moments_of(text: str, now: int, *, is_past: bool = False) -> list[Moment]:
    """The times that a question names, in order; words that only look like months are not.

    Who asks for changes or for what was (`is_past`) may end with a year: "what changed 2025".
    What stands in a longer time that is not understood is none: "since the fire of 1904".
    """
    plain = rest = folded(text)
    found = sorted(_found(plain, now, is_past=is_past), key=lambda one: one.place)
    for one in found:
        rest = _blanked(rest, one.place) if one.relation is TimeRelation.SINCE else rest
    return [one for one in found if one.relation is TimeRelation.SINCE or not _is_part(rest, one.place[0])]


def _is_part(text: str, start: int) -> bool:
    """Whether other words stand between "since" and a time that begins there."""
    return _SINCE_OTHER.search(text, 0, start) is not None


def joined(moments: list[Moment]) -> Moment | None:
    """The time that is meant if several are named: a beginning and an end are one, else the first counts."""
    if not moments:
        return None
    since = next((one for one in moments if one.relation is TimeRelation.SINCE), None)
    ends = [one for one in moments if one.is_until or one.is_strict] if since is not None else []
    if since is None or not ends or ends[0].end <= since.start:
        return moments[0]
    return replace(since, end=ends[0].end)


def unread(text: str, moments: list[Moment], *, wants_change: bool) -> str:
    """The words that look like a time and are not one of those that were read; empty if there are none.

    Of a question for changes, these are all words after "since".
    """
    rest = folded(text)
    for one in moments:
        rest = _blanked(rest, one.place)
    found = (_UNREAD_SINCE.search(rest) if wants_change else None) or _UNREAD.search(rest)
    return text[found.start() : found.end()].strip() if found else ""


def _found(text: str, now: int, *, is_past: bool) -> Iterator[Moment]:
    for match in _AGE.finditer(text):
        is_since = match[1] == "since"
        start = now - int(match[2]) * _HOURS[match[3]] * 3_600_000
        relation = TimeRelation.SINCE if is_since else TimeRelation.AT
        yield Moment(relation, start, FOREVER if is_since else start + 1, match.span(), is_strict=True)
        text = _blanked(text, match.span())
    times = (one for one in named_times(text, now) if not _is_number(text, one))
    named = sorted(times, key=lambda one: one.place)
    while named:
        one = named.pop(0)
        if named and (begin := _range_start(text, one, named[0])) is not None:
            end = named.pop(0)
            # "Between November and March 2026" begins in the year before.
            start = one.start if one.start < end.end else year_before(one.start)
            if start < end.end:
                yield Moment(TimeRelation.AT, start, end.end, (begin, end.place[1]))
            continue
        if named and _is_dash(text, one, named[0]) and not _NUMBERED.search(text, 0, one.place[0]):
            end = named.pop(0)
            # "2023-2025", "March-May 2026".
            start = one.start if one.start < end.end else year_before(one.start)
            needs = Needs.PAST if is_past else one.needs
            one = NamedTime(start, end.end, (one.place[0], end.place[1]), needs)
        if (moment := _led(text, one, is_past=is_past)) is not None:
            yield moment


def _led(text: str, named: NamedTime, *, is_past: bool) -> Moment | None:
    """The moment with what the words before it say; None if it needs some and there are none."""
    start, end = named.place
    if behind := _SINCE_BEHIND.match(text, end):
        return Moment(TimeRelation.SINCE, named.start, FOREVER, (start, behind.end()))
    lead = _LEAD.search(text, max(0, start - 30), start)
    kind = lead.lastgroup if lead else None
    is_a_time = _is_a_year if _is_bare(text, named) else _is_a_time
    if not is_a_time(text, named, lead, is_past=is_past):
        return None
    place = (lead.start() if lead else start, end)
    if kind in {"since", "after"}:
        return Moment(TimeRelation.SINCE, named.start if kind == "since" else named.end, FOREVER, place)
    day = min(_DAY_MS, named.end - named.start)
    if kind == "before":
        return Moment(TimeRelation.AT, named.start - day, named.start, place, is_strict=True, is_until=True)
    if kind == "until":
        return Moment(TimeRelation.AT, named.end - day, named.end, place, is_strict=True, is_until=True)
    return Moment(TimeRelation.AT, named.start, named.end, place, is_strict=kind == "asof")


def _is_bare(text: str, named: NamedTime) -> bool:
    """Whether a time is four digits and nothing else."""
    return named.needs is Needs.LEAD and _YEAR.fullmatch(text, *named.place) is not None


def _is_number(text: str, named: NamedTime) -> bool:
    """Whether such digits count something, or are part of a name."""
    start, end = named.place
    if not _is_bare(text, named) or _OTHER_YEAR.search(text, 0, start):
        return _is_bare(text, named) and _NUMBER_BEHIND.match(text, end) is not None
    return bool(_NUMBER_BEFORE.search(text, 0, start) or _NUMBER_BEHIND.match(text, end))


def _is_a_year(text: str, named: NamedTime, lead: re.Match[str] | None, *, is_past: bool) -> bool:
    """Whether such digits are a year: after "in" and the like, beside one that is, or at the end of what was asked."""
    start, end = named.place
    if lead is not None:
        # "The 2026 calendar" names a thing.
        return lead["on"] not in _PLACE_LEADS and not lead[0].endswith("the ")
    if other := _OTHER_YEAR.search(text, 0, start):
        before = _LEAD.search(text, max(0, other.start() - 30), other.start())
        return _is_a_year(text, replace(named, place=other.span(1)), before, is_past=is_past)
    if _FEAST.search(text, 0, start):
        return True
    return is_past and bool(_END.match(text, end)) and not _NUMBERED.search(text, 0, start)


def _is_a_time(text: str, named: NamedTime, lead: re.Match[str] | None, *, is_past: bool) -> bool:
    """Whether the words before such a time are what it needs to be one."""
    kind = lead.lastgroup if lead else None
    if named.needs is Needs.SINCE:
        return kind in {"since", "after"}
    if named.needs is Needs.ONLY_SINCE:
        return kind == "since"
    if named.needs is Needs.PAST:
        return is_past or kind in {"since", "after"}
    if named.needs is Needs.PAST_LEAD:
        is_led = lead is not None and lead["on"] not in _OF_SOMETHING
        is_led |= _AT_FEASTS.search(text, 0, named.place[0]) is not None
        return (is_led and is_past) or kind in {"since", "after"}
    if named.needs is Needs.LEAD:
        # "The march" is a walk.
        return lead is not None and not lead[0].endswith("the ")
    return True


def _blanked(text: str, place: tuple[int, int]) -> str:
    return text[: place[0]] + " " * (place[1] - place[0]) + text[place[1] :]


def _is_dash(text: str, first: NamedTime, second: NamedTime) -> bool:
    """Whether only a dash stands between two months or years."""
    is_long = min(first.end - first.start, second.end - second.start) > _DAY_MS
    is_long &= year_before(first.start) < second.end
    return is_long and re.fullmatch(r"\s*[-–—]\s*", text[first.place[1] : second.place[0]]) is not None


def _range_start(text: str, first: NamedTime, second: NamedTime) -> int | None:
    """Where "between … and …" begins, if these two dates are of one."""
    gap = text[first.place[1] : second.place[0]].strip(" .,")
    for lead, link in ((_BETWEEN, _AND), (_FROM, _TO)):
        begin = re.search(rf"\b(?:{lead})\s+(?:the\s+|dem\s+|el\s+|le\s+)?$", text[: first.place[0]])
        if begin and re.fullmatch(rf"(?:{link})(?:\s+(?:the|dem|zum|el|le))?", gap):
            return begin.start()
    return None
