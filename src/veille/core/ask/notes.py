"""What is said beside an answer: what was not understood of the question, could not be read or was left out."""

from __future__ import annotations

from collections.abc import Sequence

from veille.core.ask.choosing import Choice
from veille.core.ask.question import AskedQuestion
from veille.core.dates import iso


def note_of(question: AskedQuestion, choices: Sequence[Choice], *, lost: int, left_out: int, now: int) -> str:
    """What is to be known of an answer that quotes these."""
    return " ".join(filter(None, (_unread(question), _time(question, choices, now), _lost(lost), _left_out(left_out))))


def why_nothing(question: AskedQuestion, *, lost: int, left_out: int, now: int) -> str:
    """Why there is no answer."""
    if question.is_empty:
        note = "The question has no word to look for: name what it is about."
    elif question.wants_change and question.moment is None:
        note = "No change of it was found: ask without a word for changes, or use other words."
    elif question.wants_change and question.moment is not None and question.moment.start > now:
        note = "That time is still to come."
    elif question.wants_change and not question.terms and not lost:
        note = "Nothing changed in that time."
    elif question.wants_change:
        note = "No change of it was found in that time: ask without it, or use other words."
    elif question.moment is not None:
        note = "Nothing was found that was kept for that time: ask without it, or use other words."
    else:
        note = "Nothing was found: use other words, or ask about something that is watched."
    return " ".join(filter(None, (_unread(question), note, _lost(lost), _left_out(left_out))))


def _unread(question: AskedQuestion) -> str:
    if not question.unread:
        return ""
    return f"The time in {question.unread!r} was not understood: write it as 2026-03-01 or 'March 2026'."


def _time(question: AskedQuestion, choices: Sequence[Choice], now: int) -> str:
    """Whether what is quoted was kept only after the time in question, or that time is still to come."""
    if question.moment is None or not choices:
        return ""
    if question.moment.start > now:
        return "That time is still to come: this is what is so now."
    later = [one.newest.passage for one in choices if one.newest.passage.is_later]
    first = [one.before.passage for one in choices if one.before is not None and one.before.passage.is_later]
    if question.wants_change and first:
        return f"It was first kept on {iso(min(one.at for one in first))[:10]}: what changed before is not known."
    if not later:
        return ""
    return f"Nothing was kept at that time; the first revision is of {iso(min(one.at for one in later))[:10]}."


def _lost(lost: int) -> str:
    if not lost:
        return ""
    return f"What {lost} revision{'s' if lost > 1 else ''} of that time said was removed by a rule of retention."


def _left_out(count: int) -> str:
    if not count:
        return ""
    if count == 1:
        return "1 sentence that looks like an order to machines, or stands beside one, was left out."
    return f"{count} sentences that look like orders to machines, or stand beside one, were left out."
