"""The names of months in several languages, folded, and years."""

from __future__ import annotations

import re
from typing import Final

_NAMES: Final = (
    "january januar janvier enero gennaio janeiro januari stycznia styczniu январ\\w* jan",
    "february februar fevrier febrero febbraio fevereiro februari lutego lutym феврал\\w* feb",
    "march marz mars marzo marco maart marca marcu март\\w* mar",
    "april avril abril aprile kwietnia kwietniu апрел\\w* apr",
    "may mai mayo maggio maio mei maja maju мая мае маи",
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


def month_of(written: str) -> int:
    """The number of the first month that a text names; it must name one."""
    return which_of(written, _NAMES)


def which_of(written: str, names: tuple[str, ...]) -> int:
    """The number of the first of these names that a text has, from 1."""
    return next(
        at
        for at, several in enumerate(names, 1)
        if re.search(rf"(?<!\w)(?:{'|'.join(several.split())})(?!\w)", written)
    )
