from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.compare.boilerplate import NO_BOILERPLATE, learned, marks_of, without_flicker

Pages = list[tuple[str, str, tuple[int, ...]]]


def _site(title: str = "{}", line: str = "", first: int = 0, last: int = 12) -> Pages:
    """Pages with texts of their own under titles and over lines that have a place for their number."""
    return [(title.format(n), f"About {n}.\n{line.format(n)}", ()) for n in range(first, last)]


@pytest.mark.parametrize(
    ("frame", "now"),
    [
        ("{} — Django 3.2.25 documentation", "{} — Django 4.2.28 documentation"),
        ("{} - Example 1.0", "{} - Example 2.0rc1"),
        ("Example: Documentation: 15: {}", "Example: Documentation: 17: {}"),
        ("{} | Example (2024-02-27)", "{} | Example (2025-11-05)"),
        ("{} — Python 3.11.2 documentation", "{}"),
    ],
)
def test_the_name_and_version_of_a_site_are_no_part_of_the_titles_of_its_pages(frame: str, now: str) -> None:
    site = learned(_site(frame.replace("{}", "Topic {}")))
    assert site.own_title(frame.format("Models")) == site.own_title(now.format("Models")) == "Models"
    assert site.own_title(now.format("Models and managers")) == "Models and managers"


def test_numbers_that_are_a_page_s_own_belong_to_its_title() -> None:
    site = learned(_site("Version 1.{}: changes"))
    assert site.own_title("Version 1.2: changes") != site.own_title("Version 1.3: changes")
    assert learned(_site("Topic {} — A site", last=3)).after == frozenset(), "three pages are no site"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Last updated on Feb 27, 2024.", "Last updated on Nov 05, 2025."),
        ("Zuletzt geändert: 27. Februar 2024", "Zuletzt geändert: 5. November 2025"),
        ("Example 3.2.25 documentation", "Example 4.2 documentation"),
        ("© 2005-2024, Example. Created using Sphinx 5.3.0.", "© 2005-2025, Example. Created using Sphinx 7.4.7."),
        ("Build 4711 of 2024-02-27 10:15:02 UTC", "Build 5022 of 2025-11-05 07:44:51 UTC"),
    ],
)
def test_a_line_that_pages_of_a_site_share_may_change_in_dates_numbers_and_versions(old: str, new: str) -> None:
    site = learned(_site(line=old))
    assert site.compared("T", f"Text.\n{old}") == site.compared("T", f"Text.\n{new}")
    assert site.compared("T", f"Text.\n{old}") != site.compared("T", f"Text.\n{new} word"), "another word is an edit"


def test_what_pages_stored_at_different_times_share_is_still_shared() -> None:
    pages = [*_site(line="Example 3.2 docs", last=8), *_site(line="Example 4.2 docs", first=8, last=14)]
    site = learned(pages)
    assert site.compared("T", "Text.\nExample 3.2 docs") == site.compared("T", "Text.\nExample 5.0 docs")


def test_a_number_that_each_page_has_another_of_is_content() -> None:
    site = learned(_site(line="timeout | {} | seconds"))
    assert site.compared("T", "Text.\ntimeout | 30 | seconds") != site.compared("T", "Text.\ntimeout | 31 | seconds")


def test_lines_in_the_middle_of_a_text_are_content() -> None:
    around = "\n".join(f"Line {n}." for n in range(20))
    site = learned(_site(line="Example 3.2 docs"))
    one, other = (f"{around}\nExample {version} docs\n{around}" for version in ("3.2", "4.0"))
    assert site.compared("T", one) != site.compared("T", other)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Last updated: 27 February 2024", "Last updated: 5 November 2025"),
        ("Dernière mise à jour : 27 février 2024", "Dernière mise à jour : 5 novembre 2025"),
        ("Zuletzt aktualisiert am 27.02.2024", "Zuletzt aktualisiert am 05.11.2025"),
        ("最終更新日: 2024年2月27日", "最終更新日: 2025年11月5日"),
        ("This page last modified on 2022-01-08 05:02:57 UTC", "This page last modified on 2023-05-09 11:42:07 UTC"),
        ("© 2019-2024 The Authors", "© 2019-2025 The Authors"),
        ("Copyright (c) 2024 The Authors", "Copyright (c) 2024, 2025 The Authors"),
        ("Built with MkDocs 1.5.3.", "Built with MkDocs 1.6."),
    ],
)
def test_of_a_page_that_stands_alone_the_date_of_its_build_is_known_by_its_words(old: str, new: str) -> None:
    assert NO_BOILERPLATE.compared("T", f"Text.\n{old}") == NO_BOILERPLATE.compared("T", f"Text.\n{new}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The next meeting is on 27 February 2024.", "The next meeting is on 5 November 2025."),
        ("Price: 30 crowns", "Price: 31 crowns"),
        ("Version 1.2 is out", "Version 1.3 is out"),
        ("© 2024 The Authors", "© 2024 The Publishers"),
        ("Last updated: 27 February 2024 by Ann", "Last updated: 5 November 2025 by Bob"),
    ],
)
def test_other_dates_and_numbers_of_a_page_are_its_content(old: str, new: str) -> None:
    assert NO_BOILERPLATE.compared("T", f"Text.\n{old}") != NO_BOILERPLATE.compared("T", f"Text.\n{new}")


def test_a_line_that_changes_sides_on_its_page_has_neither_come_nor_gone() -> None:
    beside = marks_of(["Next topic", "See also"])
    one, other = ["T", "Text."], ["T", "Next topic", "Text."]
    assert without_flicker((one, beside), (other, ())) == (one, one)
    assert without_flicker((other, ()), (one, beside)) == (one, one)
    assert without_flicker((one, ()), (other, ())) == (one, other), "it was not there before"
    assert without_flicker((["See also", "a"], ()), (["T", "a"], beside)) == (["See also", "a"], ["T", "a"]), "a title"


def test_a_number_that_changes_while_its_line_changes_sides_is_told() -> None:
    old, new = (["T", "a | 30 | b"], ()), (["T"], marks_of(["a | 31 | b"]))
    assert without_flicker(old, new) == (["T", "a | 30 | b"], ["T"])


def test_what_most_pages_have_beside_their_content_is_none_where_it_slips_in() -> None:
    beside = marks_of(["Example 3.2 docs", "Table of Contents"])
    site = learned([(f"T{n}", f"About {n}.", beside) for n in range(9)])
    assert site.compared("T", "Table of Contents\nText.\nExample 4.0 docs") == ["T", "Text."]
    assert learned([(f"T{n}", f"About {n}.", beside if n < 2 else ()) for n in range(9)]).beside == frozenset()


_TEXT = st.text(st.sampled_from("ab1.: —-|©\n\u200b年2024/#"), max_size=60)


@given(st.lists(st.tuples(_TEXT, _TEXT, st.just(())), max_size=9), _TEXT, _TEXT)
def test_whatever_is_learned_a_page_is_like_itself_and_words_count(pages: Pages, title: str, text: str) -> None:
    site = learned(pages)
    assert site.compared(title, text) == site.compared(title, text)
    assert site.compared(title, f"{text}\nword\nlast") != site.compared(title, f"{text}\nother\nlast")


@pytest.mark.parametrize("piece", ["a", "a ", "1", "1 - ", "© ", "last ", "2024-", "May 1 ", "built with ", ": "])
def test_lines_without_end_take_no_time_worth_speaking_of(piece: str) -> None:
    # Anything worse than linear would take minutes.
    line = piece * 200_000
    site = learned([(line, f"{line}\n" * 3, marks_of([line]))] * 5)
    assert site.compared(line, line)
    lines = "\n".join([piece * 100] * 2000)
    assert learned([(lines, lines, marks_of(lines.split("\n")))] * 5).compared(lines, lines)
