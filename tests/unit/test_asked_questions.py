# ruff: noqa: RUF001 - questions in other scripts
from __future__ import annotations

from datetime import UTC, datetime

import pytest

from veille.core.ask.expecting import Expected
from veille.core.ask.moments import moments_of
from veille.core.ask.question import understood

NOW = round(datetime(2026, 11, 17, 12, tzinfo=UTC).timestamp() * 1000)


def _days(text: str) -> str:
    """What a question is understood as, in short."""
    return " | ".join(
        f"{one.relation} {_day(one.start)}" + (f" {_day(one.end)}" if one.end < 2**61 else "")
        for one in moments_of(text, NOW)
    )


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("what changed in the tariff since March?", "since 2026-03-01"),
        ("what changed since December?", "since 2025-12-01"),
        ("price as of 1 May 2026", "at 2026-05-01 2026-05-02"),
        ("price on March 3rd, 2026", "at 2026-03-03 2026-03-04"),
        ("How much was it in 2025?", "at 2025-01-01 2026-01-01"),
        ("opening hours before June", "at 2026-05-31 2026-06-01"),
        ("Which fee applied until 31 March 2026?", "at 2026-03-31 2026-04-01"),
        ("What changed last week?", "at 2026-11-09 2026-11-16"),
        ("what was new in the last 3 months", "at 2026-08-17 2026-11-18"),
        ("price three weeks ago", "at 2026-10-27 2026-10-28"),
        ("what changed yesterday", "at 2026-11-16 2026-11-17"),
        ("from 1 March to 5 April 2026 what changed", "at 2026-03-01 2026-04-06"),
        ("between November and March 2026", "at 2025-11-01 2026-04-01"),
        ("Was hat sich zwischen März und Mai 2026 geändert?", "at 2026-03-01 2026-06-01"),
        ("Welche Gebühr galt am 12.03.2026?", "at 2026-03-12 2026-03-13"),
        ("Was kostete der Eintritt im März 2025?", "at 2025-03-01 2025-04-01"),
        ("Qu'est-ce qui a changé depuis mars ?", "since 2026-03-01"),
        ("¿Qué cambió entre enero y abril de 2026?", "at 2026-01-01 2026-05-01"),
        ("qué cambió desde el 3 de abril", "since 2026-04-03"),
        ("quanto costava nel marzo 2026", "at 2026-03-01 2026-04-01"),
        ("che cosa è cambiato da febbraio 2026", "since 2026-02-01"),
        ("Wat kostte het op 3 maart 2026?", "at 2026-03-03 2026-03-04"),
        ("Сколько стоил билет в марте 2026?", "at 2026-03-01 2026-04-01"),
        ("что изменилось с мая", "since 2026-05-01"),
        ("料金は2026年3月から変わりましたか", "since 2026-03-01"),
        ("tariff since:7d", "since 2026-11-10"),
        ("as of:2026-03-01 price", "at 2026-03-01 2026-03-02"),
        ("as of: May 1, 2026 what was the tariff", "at 2026-05-01 2026-05-02"),
        ("since: May 1, 2026", "since 2026-05-01"),
        ("price a year ago", "at 2025-11-17 2025-11-18"),
        ("price one month ago", "at 2026-10-17 2026-10-18"),
        ("Was kostete es vor einem Jahr?", "at 2025-11-17 2025-11-18"),
        ("Was kostete es vor zwei Wochen?", "at 2026-11-03 2026-11-04"),
        ("Quel était le prix il y a un mois ?", "at 2026-10-17 2026-10-18"),
        ("quanto costava un anno fa", "at 2025-11-17 2025-11-18"),
        ("hace una semana", "at 2026-11-10 2026-11-11"),
        ("what changed since Monday", "since 2026-11-16"),
        ("what changed since last Friday", "since 2026-11-13"),
        ("Was hat sich seit letztem Freitag geändert?", "since 2026-11-13"),
        ("Qu'est-ce qui a changé depuis mardi ?", "since 2026-11-10"),
        ("since the beginning of the year", "since 2026-01-01"),
        ("seit Anfang des Monats", "since 2026-11-01"),
        ("seit Jahresbeginn", "since 2026-01-01"),
        ("depuis le début de l'année", "since 2026-01-01"),
        ("what changed in Q1 2026", "at 2026-01-01 2026-04-01"),
        ("im dritten Quartal 2025", "at 2025-07-01 2025-10-01"),
        ("au deuxième trimestre 2026", "at 2026-04-01 2026-07-01"),
        ("fee in the last quarter", "at 2026-07-01 2026-10-01"),
        ("fee in the last quarter of 2024", "at 2024-10-01 2025-01-01"),
        ("price in the spring of 2026", "at 2026-03-01 2026-06-01"),
        ("im Winter 2024/25", "at 2024-12-01 2025-03-01"),
        ("en été 2025", "at 2025-06-01 2025-09-01"),
        ("price last summer", "at 2026-06-01 2026-09-01"),
        ("at the end of May 2026", "at 2026-05-21 2026-06-01"),
        ("Anfang März 2026", "at 2026-03-01 2026-03-11"),
        # Parts of a year, and of a month.
        ("price half a year ago", "at 2026-05-17 2026-05-18"),
        ("fee two and a half years ago", "at 2024-05-17 2024-05-18"),
        ("a year and a half ago", "at 2025-05-17 2025-05-18"),
        ("a quarter of a year ago", "at 2026-08-17 2026-08-18"),
        ("vor einem halben Jahr", "at 2026-05-17 2026-05-18"),
        ("vor anderthalb Jahren", "at 2025-05-17 2025-05-18"),
        ("vor einem Vierteljahr", "at 2026-08-17 2026-08-18"),
        ("vor zweieinhalb Jahren", "at 2024-05-17 2024-05-18"),
        ("il y a un an et demi", "at 2025-05-17 2025-05-18"),
        ("hace medio año", "at 2026-05-17 2026-05-18"),
        ("mezzo anno fa", "at 2026-05-17 2026-05-18"),
        ("een half jaar geleden", "at 2026-05-17 2026-05-18"),
        ("since March of last year", "since 2025-03-01"),
        ("since 4 May last year", "since 2025-05-04"),
        ("im Mai letzten Jahres", "at 2025-05-01 2025-06-01"),
        ("en mai de l'année dernière", "at 2025-05-01 2025-06-01"),
        ("en marzo del año pasado", "at 2025-03-01 2025-04-01"),
        ("last May", "at 2026-05-01 2026-06-01"),
        ("last December", "at 2025-12-01 2026-01-01"),
        ("seit letztem März", "since 2026-03-01"),
        ("depuis mars dernier", "since 2026-03-01"),
        ("what changed the day before yesterday", "at 2026-11-15 2026-11-16"),
        ("seit vorgestern", "since 2026-11-15"),
        ("qu'est-ce qui a changé avant-hier", "at 2026-11-15 2026-11-16"),
        ("between 3 and 5 May", "at 2026-05-03 2026-05-06"),
        ("from 28 to 30 November 2024", "at 2024-11-28 2024-12-01"),
        ("vom 3. bis 5. Mai 2026", "at 2026-05-03 2026-05-06"),
        ("du 3 au 5 mai", "at 2026-05-03 2026-05-06"),
        ("between May 3 and 5", "at 2026-05-03 2026-05-06"),
        ("between 3 May and 5 June", "at 2026-05-03 2026-06-06"),
        ("in the first half of 2026", "at 2026-01-01 2026-07-01"),
        ("im zweiten Halbjahr 2025", "at 2025-07-01 2026-01-01"),
        ("au premier semestre 2026", "at 2026-01-01 2026-07-01"),
        ("in the second half of May", "at 2026-05-16 2026-06-01"),
        ("Ende letzten Jahres", "at 2025-09-01 2026-01-01"),
        ("at the beginning of last month", "at 2026-10-01 2026-10-11"),
        ("depuis un mois", "since 2026-10-17"),
        ("seit zwei Wochen", "since 2026-11-03"),
        ("since half a year", "since 2026-05-17"),
        # A weekday before a date belongs to it.
        ("since Monday, 2 November 2026", "since 2026-11-02"),
        ("seit Montag, dem 2. November", "since 2026-11-02"),
        ("depuis le lundi 2 novembre", "since 2026-11-02"),
        ("desde el lunes 2 de noviembre", "since 2026-11-02"),
        ("с понедельника, 2 ноября", "since 2026-11-02"),
        ("on Sat, October 31st", "at 2026-10-31 2026-11-01"),
        ("Friday 2026-10-30", "at 2026-10-30 2026-10-31"),
        ("between Monday, 2 November and Friday, 6 November", "at 2026-11-02 2026-11-07"),
        ("au cours des trois derniers mois", "at 2026-08-17 2026-11-18"),
        ("en los 20 últimos días", "at 2026-10-28 2026-11-18"),
        ("half 3 mei 2026", "at 2026-05-03 2026-05-04"),
        # Words that only look like times.
        ("what changed since the fire of 1904", ""),
        ("what changed since the council of May 2026", ""),
        ("Who leads the march of the band?", ""),
        ("Who walks at the head of the march?", ""),
        ("Who won the second quarter final?", ""),
        ("Can I return it after two weeks?", ""),
        ("the first half of the match", ""),
        ("opening hours on Monday", ""),
        ("Is it open until Monday?", ""),
        ("Is it open in summer?", ""),
        ("Ha un anno di garanzia?", ""),
        ("what may I bring in?", ""),
        ("when does the march begin", ""),
        ("Who is the director in Marseille", ""),
        ("What was the last day of school?", ""),
        ("Was war der letzte Tag der Ferien?", ""),
        ("What was the last day to register?", ""),
        ("the first quarter of the moon", ""),
        ("What is taught in week 12?", ""),
        ("Is it open at Christmas?", ""),
        ("Is the pool open on the first Monday of the month?", ""),
        ("the 2026 calendar", ""),
        ("32 May of last year", ""),
        ("between 2025 and 2000", ""),
        ("on the last day of the year", ""),
        ("two weeks before the fire", ""),
        ("since the fall of the wall", ""),
        ("as of:yesterdayish", ""),
        ("on 31 February 2026", ""),
        ("99.99.2026 and 2026-13-45", ""),
    ],
)
def test_times_are_understood_in_several_languages(text: str, meant: str) -> None:
    assert _days(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "What was in the estate of the author?",
        "What was written by Noel?",
        "Was the new year concert cancelled?",
        "Was the Christmas market moved?",
        "Were summer courses offered?",
        "Quel était le menu de Noël ?",
        "Le tarif a-t-il été modifié ?",
        "Hat das Museum an Weihnachten geöffnet?",
        "Where were the 2000s vintage cars?",
        "Did room 2023-2025 move?",
        "Was the desk on the 3rd floor?",
        "Was stand in Absatz 3.4.?",
    ],
)
def test_of_the_past_too_words_that_look_like_times_are_none(text: str) -> None:
    asked = understood(text, NOW)
    assert (asked.moment, asked.unread) == (None, "")


@pytest.mark.parametrize(
    ("text", "terms", "changes"),
    [
        ("what changed in the tariff since March?", ["tariff"], True),
        ("Did the closing day of the library change since April 2026?", ["closing", "day", "library"], True),
        ("How much is the change fee?", ["change", "fee"], False),
        ("What is the exchange rate?", ["exchange", "rate"], False),
        ("Was hat sich an den Öffnungszeiten geändert?", ["offnungszeiten"], True),
        ("What's new?", [], True),
        ("what is the latest version of Tern?", ["version", "tern"], False),
        ("What? Who? When?", [], False),
        # How something is changed is not whether it was; nor is a difference a change.
        ("How do I change my password?", ["change", "password"], False),
        ("how often is the map updated?", ["often", "map", "updated"], False),
        ("difference between merge and rebase", ["difference", "merge", "rebase"], False),
        ("What is different between the two tariffs?", ["different", "two", "tariffs"], False),
        ("Wie ändere ich die Sprache?", ["andere", "sprache"], False),
        ("Comment modifier le fichier fstab ?", ["modifier", "fichier", "fstab"], False),
        ("¿Cómo puedo cambiar el nombre?", ["cambiar", "nombre"], False),
        ("Как изменить пароль?", ["изменить", "пароль"], False),
        ("Can I change my booking?", ["change", "booking"], False),
        ("What does increased security mean?", ["increased", "security", "mean"], False),
        ("What happened to the old bridge?", ["happened", "old", "bridge"], False),
        ("How has the tariff changed?", ["tariff"], True),
        ("Has the price gone up?", ["price"], True),
        ("Ist der Preis gestiegen?", ["preis"], True),
        ("Welche Änderungen gab es?", [], True),
        ("What happened at the bridge yesterday?", ["bridge"], True),
        ("How do the fees differ since March?", ["fees"], True),
        ("Wie hat sich der Tarif geändert?", ["tarif"], True),
        ("Comment le tarif a-t-il changé ?", ["tarif"], True),
    ],
)
def test_what_is_looked_for_is_what_a_question_is_about(text: str, terms: list[str], changes: bool) -> None:  # noqa: FBT001 - a column
    asked = understood(text, NOW)
    assert (list(asked.terms), asked.wants_change) == (terms, changes)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("what changed at the club within the last 20 days?", ["club"]),
        ("What changed at the club over the past 3 months?", ["club"]),
        ("Was hat sich in der Werkstatt innerhalb der letzten drei Wochen geändert?", ["werkstatt"]),
        ("Was hat sich im Laufe der letzten zwei Monate an der Werkstatt geändert?", ["werkstatt"]),
        ("Qu'est-ce qui a changé à la crèche au cours des 20 derniers jours ?", ["creche"]),
        ("Qu'est-ce qui a changé à la crèche au cours du mois dernier ?", ["creche"]),
        ("¿Qué ha cambiado en la panadería dentro de los últimos 20 días?", ["panaderia"]),
        ("Che cosa è cambiato al forno negli ultimi 20 giorni?", ["forno"]),
    ],
)
def test_the_words_that_lead_to_a_time_are_not_looked_for(text: str, terms: list[str]) -> None:
    asked = understood(text, NOW)
    assert (list(asked.terms), asked.moment is not None) == (terms, True)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("How much was it in 2025?", "2025"),
        ("What changed since 2025?", "2025"),
        ("Who was the mayor of 2024?", "2024"),
        ("Was kostete es im Jahr 2025?", "2025"),
        ("Was hat sich seit dem Jahr 2025 geändert?", "2025"),
        ("Combien coûtait-il en 2025 ?", "2025"),
        ("combien en l'an 2025", "2025"),
        ("Сколько стоил билет в 2025 году?", "2025"),
        ("the fee in 2024 and 2025", "2024 2025"),
        ("the fee in 2024/25", "2024"),
        ("the fee between 2024 and 2025", "2024"),
        ("the fee in mid-2025", "2025"),
        ("the fee at Easter 2025", "2025"),
        ("What changed 2025?", "2025"),
        ("Was hat sich 2025 geändert?", "2025"),
        ("Was kostete der Eintritt 2025?", "2025"),
        ("What does error 2013 mean?", ""),
        ("What is room 1950?", ""),
        ("What was error 2013?", ""),
        ("What listens on port 2049?", ""),
        ("what listens on 2049", ""),
        ("who won the 2000 euros?", ""),
        ("Can I win up to one of 2000 euros?", ""),
        ("a fee of 1950 to 2000 pounds", ""),
        ("between 1950 and 2000 metres", ""),
        ("Which version fixed E-2077?", ""),
        ("what changed in ISO-2022?", ""),
        ("did it change for $2000", ""),
        ("Was bedeutet Fehler 2013?", ""),
        ("Où est la salle 1950 ?", ""),
        ("how many fit in 2000 litres", ""),
        ("the number 12013", ""),
    ],
)
def test_four_digits_are_a_year_only_where_one_is_meant(text: str, meant: str) -> None:
    asked = understood(text, NOW)
    moments = moments_of(text, NOW, is_past=asked.moment is not None)
    assert " ".join(_day(one.start)[:4] for one in moments) == meant
    assert (asked.moment is not None) is bool(meant)


def test_a_question_says_what_an_answer_would_have() -> None:
    assert understood("Wie viel kostet das?", NOW).expected == {Expected.AMOUNT, Expected.PRICE}
    assert Expected.PERSON in understood("Who is the director?", NOW).expected
    assert Expected.CLOCK in understood("¿Cuál es el horario?", NOW).expected


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("what changed in the tariff before June 2026", "changes until 2026-05-31"),
        ("what changed up to 15 May 2026", "changes until 2026-05-15"),
        ("Was hat sich bis Mai 2026 geändert?", "changes until 2026-05-31"),
        ("Qu'est-ce qui a changé avant juin 2026 ?", "changes until 2026-05-31"),
        ("what changed since March until May 2026", "changes from 2026-03-01 to 2026-05-31"),
        ("what changed after 1 March 2026 and before 1 May 2026", "changes from 2026-03-02 to 2026-04-30"),
        ("tariff since:2026-03 as of:2026-05-01", "changes from 2026-03-01 to 2026-05-01"),
        ("as of 1 May 2026, what changed since March?", "changes from 2026-03-01 to 2026-05-01"),
        ("seit März bis Mai 2026 geändert", "changes from 2026-03-01 to 2026-05-31"),
        ("as of 2026-03-01 what changed since May 2026", "changes on 2026-03-01"),
        ("opening hours before June 2026", "as it was on 2026-05-31"),
        ("fee as of:2026-05-01T12:00:00Z", "as it was on 2026-05-01"),
    ],
)
def test_how_a_time_is_understood_is_told(text: str, meant: str) -> None:
    assert understood(text, NOW).described == meant


def test_an_instant_is_one() -> None:
    moment = understood("fee as of:2026-05-01T12:30:00+02:00", NOW).moment
    assert moment is not None
    assert moment.start == round(datetime(2026, 5, 1, 10, 30, tzinfo=UTC).timestamp() * 1000)
    assert moment.end == moment.start + 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("what changed since 2026-13-40?", "since 2026-13-40"),
        ("tariff as of:yesterdayish", "as of:yesterdayish"),
        ("what changed since Easter?", "since Easter"),
        ("Was hat sich seit Ostern geändert?", "seit Ostern"),
        ("price many moons ago", "many moons ago"),
        ("what changed since the fire of 1904?", "since the fire of 1904"),
        ("What changed about the ferry since noon?", "since noon"),
        ("Was hat sich seit dem großen Brand geändert?", "seit dem großen Brand"),
        ("Qu'est-ce qui a changé depuis la grande crue ?", "depuis la grande crue"),
        ("what changed since the second week of term?", "since the second week of term"),
        ("What was so on 3/4/2025?", "3/4/2025"),
        ("what changed since 3pm yesterday?", "since 3pm yesterday"),
        ("Quel bus prendre depuis la gare ?", ""),
        ("what changed since March until May 2026", ""),
        ("what changed since March?", ""),
        ("Since I am new here: how much is a ticket?", ""),
        ("Since when is the museum closed?", ""),
        ("What must I do before boarding?", ""),
        ("What is version 3.11.2 good for?", ""),
    ],
)
def test_what_looks_like_a_time_and_is_not_understood_is_told(text: str, words: str) -> None:
    assert understood(text, NOW).unread == words


def test_of_a_pasted_text_the_sentences_that_ask_are_the_question() -> None:
    pasted = "The wind was up and the boats were in. " * 250 + "How much is a ticket? " + "So we went home. " * 3
    assert understood(pasted, NOW).terms == ("ticket",)
    assert "wind" in understood("The wind was up. " * 500, NOW).terms


@pytest.mark.parametrize("text", ["", " ", "?!", "🦊🦊", "\u0000", "the of and", "\ud800"])
def test_what_has_no_words_asks_nothing(text: str) -> None:
    assert understood(text, NOW).is_empty


@pytest.mark.parametrize(
    "text", ["𐤀𐤁𐤂 𐤃𐤄", "ᚠᚢᚦ", "ⴰⴱⴳ", "አማርኛ ምንድን ነው", "x " * 5000, "a" * 10_000, "since " * 1000, "(" * 9999]
)
def test_any_script_and_any_length_is_understood_in_bounds(text: str) -> None:
    asked = understood(text, NOW)
    assert len(asked.terms) <= 40
    assert len(asked.text) <= 2000
