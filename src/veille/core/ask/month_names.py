"""The names of months and weekdays in several languages, folded, and years."""

from __future__ import annotations

import re
from typing import Final

_NAMES: Final = (
    "january januar janvier enero gennaio janeiro januari stycznia styczniu январ\\w* jan",
    "february februar fevrier febrero febbraio fevereiro februari lutego lutym феврал\\w* feb",
    "march marz mars marzo marco maart marca marcu март\\w* mar",
    "april avril abril aprile kwietnia kwietniu апрел\\w* apr",
    "may mai mayo maggio maio mei maja maju мая мае маи маем",
    "june juni juin junio giugno junho czerwca czerwcu июн\\w* jun",
    "july juli juillet julio luglio julho lipca lipcu июл\\w* jul",
    "august aout agosto augustus sierpnia sierpniu август\\w* aug",
    "september septembre septiembre settembre setembro wrzesnia wrzesniu сентябр\\w* sept sep",
    "october oktober octobre octubre ottobre outubro pazdziernika pazdzierniku октябр\\w* oct okt",
    "november novembre noviembre novembro listopada listopadzie ноябр\\w* nov",
    "december dezember decembre diciembre dicembre dezembro grudnia grudniu декабр\\w* dec dez",
)
MONTH: Final = f"(?:{'|'.join(name for names in _NAMES for name in names.split())})"
YEAR: Final = r"(?:19|20)\d\d"
WEEKDAYS: Final = (
    "monday montag lundi lunes lunedi segunda maandag понедельник\\w*",
    "tuesday dienstag mardi martes martedi terca dinsdag вторник\\w*",
    "wednesday mittwoch mercredi miercoles mercoledi quarta woensdag сред[аыу]",
    "thursday donnerstag jeudi jueves giovedi quinta donderdag четверг\\w*",
    "friday freitag vendredi viernes venerdi sexta vrijdag пятниц\\w+",
    "saturday samstag sonnabend samedi sabado sabato zaterdag суббот\\w+",
    "sunday sonntag dimanche domingo domenica zondag воскресень\\w+",
)
WEEKDAY: Final = "|".join(name for names in WEEKDAYS for name in names.split())
_NTH: Final = r"\d{1,2}(?:st|nd|rd|th|er|\.|º|°)?"
#: A weekday directly before a date says nothing more: "Monday, the 2nd of November".
_WEEKDAY_OF: Final = re.compile(
    rf"\b(?:last |past |letzte[mnrs]? )?(?:(?:{WEEKDAY})(?:-feira)?|(?:mon|tues?|wed|thu(?:rs)?|fri|sat|sun)\b\.?),?\s+"
    rf"(?:(?:the|dem|den|der|le|el|il|dia|de)\s+)?(?={_NTH}(?:\s+(?:of|de|di))?\s+{MONTH}\b|{MONTH}\b\.?\s+\d"
    rf"|\d{{1,2}}[./]\d{{1,2}}[./]|{YEAR}-\d)"
)


def month_of(written: str) -> int:
    """The number of the first month that a text names; it must name one."""
    return which_of(written, _NAMES)


def weekdays_of_dates(text: str) -> list[tuple[int, int]]:
    """Where in a folded text weekdays stand directly before a date, up to where the date begins.

    >>> weekdays_of_dates("since monday, 2 november, or on monday")
    [(6, 14)]
    """
    return [match.span() for match in _WEEKDAY_OF.finditer(text)]


def which_of(written: str, names: tuple[str, ...]) -> int:
    """The number of the first of these names that a text has, from 1."""
    return next(
        at
        for at, several in enumerate(names, 1)
        if re.search(rf"(?<!\w)(?:{'|'.join(several.split())})(?!\w)", written)
    )
