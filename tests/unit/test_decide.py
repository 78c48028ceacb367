from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from samples import NOW, STORY, document, failure, lease, payload, request, source
from veille.core.change.decide import MIN_DUPLICATE_CHARS, decide
from veille.core.change.metadata_changes import facts_of
from veille.core.change.quirks import PROOFS, TRUSTED_FOR
from veille.core.change.second_look import Kept
from veille.core.compare.boilerplate import NO_BOILERPLATE, Boilerplate, learned
from veille.core.fingerprint import claim_of, content_hash, url_identity
from veille.core.models import (
    Change,
    Document,
    Item,
    Known,
    Lease,
    Listing,
    Move,
    Plan,
    Quirk,
    Reading,
    Request,
    State,
)
from veille.core.schedule import CONFIRM_AFTER, DAY, MAX_ATTEMPTS, SPREAD
from veille.core.traffic import Payload, Validators
from veille.core.values.value import Value, ValueType


@dataclass(frozen=True)
class Remembered:
    """What is known, written down: by key, by text, by request."""

    keys: dict[str, Known] = field(default_factory=dict)
    texts: dict[str, Known] = field(default_factory=dict)
    requests: dict[str, Known] = field(default_factory=dict)
    #: What a source has.
    had: tuple[Known, ...] = ()
    contents: dict[str, Kept] = field(default_factory=dict)
    site: Boilerplate = NO_BOILERPLATE

    def named(self, *keys: str) -> Known | None:
        return next((self.keys[key] for key in keys if key in self.keys), None)

    def unlisted(self, source_id: str, keys: Sequence[str], since: int | None = None) -> list[Known]:
        del since
        return [known for known in self.had if known.source_id == source_id and url_identity(known.url) not in keys]

    def known(self, document: Document, request: Request) -> Known | None:
        del request
        return next((self.keys[key] for key in document.keys if key in self.keys), None)

    def twin(self, document: Document) -> Known | None:
        return self.texts.get(document.content_hash)

    def owned(self, request: Request) -> Known | None:
        return self.requests.get(request.id)

    def kept(self, document_id: str, source_id: str) -> Kept | None:
        del source_id
        return self.contents.get(document_id)

    def boilerplate(self, source_id: str) -> Boilerplate:
        del source_id
        return self.site


SOURCE = source()
NOTHING = Remembered()


def _known(of: Document, **given: Any) -> Known:
    defaults: dict[str, Any] = {"document_id": "known", "source_id": SOURCE.id, "rev_n": 3, "state": "current"}
    return Known(content_hash=of.content_hash, title=of.title, url=of.url, **(defaults | given))


def _read(*documents: Document, memory: Remembered = NOTHING, of: Lease | None = None, **given: Any) -> Plan:
    return decide(Reading(lease=of or lease(SOURCE), payload=payload(**given), documents=documents), memory, NOW)


def _only(plan: Plan) -> Item:
    (item,) = plan.items
    return item


def _knowing(of: Document, **given: Any) -> Remembered:
    return Remembered(keys={of.keys[0]: _known(of, **given)})


def test_what_nobody_knew_is_new() -> None:
    plan = _read(document())
    item = _only(plan)
    assert (item.change, item.rev_n, item.document) == (Change.NEW, 1, document())
    assert item.document_id
    assert plan.state is State.OK


def test_the_same_reading_gives_the_same_plan() -> None:
    assert _read(document()) == _read(document())


def test_the_next_turn_is_one_interval_away() -> None:
    due = _read(document()).next_due
    assert due is not None
    assert NOW + SOURCE.interval_ms <= due <= NOW + SOURCE.interval_ms * (1 + SPREAD)


def test_a_followed_request_comes_back_only_with_a_new_stamp() -> None:
    assert _read(document(), of=lease(SOURCE, request(SOURCE, purpose="entry"))).next_due is None


def test_what_is_known_with_the_same_text_is_the_same() -> None:
    plan = _read(document(), memory=_knowing(document()))
    assert _only(plan).change is Change.SAME
    assert plan.state is State.UNCHANGED


def test_another_layout_of_the_same_text_is_the_same() -> None:
    again = document(text=STORY.replace(" ", "\n"))
    assert _only(_read(again, memory=_knowing(document()))).change is Change.SAME


@pytest.mark.parametrize("now", [document(text="Another text."), document(title="Another title")])
def test_another_text_or_title_is_a_change_and_the_next_revision(now: Document) -> None:
    item = _only(_read(now, memory=_knowing(document())))
    assert (item.change, item.rev_n, item.document_id) == (Change.CHANGED, 4, "known")


def test_a_document_that_an_answer_has_under_two_addresses_changes_once() -> None:
    here, there = document(text="Another text."), document("https://example.org/moved", text="A third text.")
    both = Remembered(keys=dict.fromkeys((here.keys[0], there.keys[0]), _known(document())))
    item = _only(_read(here, there, memory=both))
    assert (item.change, item.rev_n, item.document) == (Change.CHANGED, 4, here)


def test_the_same_text_at_another_address_is_a_duplicate() -> None:
    twin = Remembered(texts={document().content_hash: _known(document())})
    item = _only(_read(document("https://example.org/copy"), memory=twin))
    assert (item.change, item.duplicate_of) == (Change.DUPLICATE, "known")
    assert item.document_id not in {"", "known"}


def test_short_texts_are_never_duplicates() -> None:
    short = document(text="Loading")
    memory = Remembered(texts={short.content_hash: _known(short)})
    assert len(short.text) < MIN_DUPLICATE_CHARS
    assert _only(_read(short, memory=memory)).change is Change.NEW


def test_a_known_duplicate_that_still_repeats_is_the_same() -> None:
    memory = Remembered(
        keys={document().keys[0]: _known(document(), document_id="copy", state="duplicate", rev_n=0)},
        texts={document().content_hash: _known(document(), document_id="first")},
    )
    assert _only(_read(document(), memory=memory)).change is Change.SAME


def test_a_duplicate_that_says_something_of_its_own_becomes_new_under_its_old_id() -> None:
    memory = Remembered(keys={document().keys[0]: _known(document(), document_id="copy", state="duplicate", rev_n=0)})
    item = _only(_read(document(), memory=memory))
    assert (item.change, item.rev_n, item.document_id) == (Change.NEW, 1, "copy")


def test_a_document_of_another_source_is_a_duplicate_once_and_then_the_same() -> None:
    mentioned = lease(SOURCE, request(SOURCE, purpose="entry"))
    theirs = _knowing(document(), source_id="another", sighted=False)
    item = _only(_read(document(text="Told differently here."), of=mentioned, memory=theirs))
    assert (item.change, item.duplicate_of, item.document_id) == (Change.DUPLICATE, "known", "known")
    seen = _knowing(document(), source_id="another", sighted=True)
    assert _only(_read(document(text="Told differently here."), of=mentioned, memory=seen)).change is Change.SAME


def test_the_source_of_the_page_itself_takes_a_document_over_when_the_page_changes() -> None:
    page = document(text="Told differently here.")
    theirs = _knowing(document(), source_id="another", sighted=False)
    assert _only(_read(document(), memory=theirs)).change is Change.DUPLICATE
    assert _only(_read(page, memory=theirs)).change is Change.DUPLICATE, "another way of reading is no change"
    seen = _knowing(document(), source_id="another", seen=(page.content_hash, page.title))
    assert _only(_read(page, memory=seen)).change is Change.SAME
    item = _only(_read(document(text="Told anew here."), memory=seen))
    assert (item.change, item.rev_n) == (Change.CHANGED, 4)


def test_a_source_tells_no_change_of_what_it_sees_as_before_though_another_had_the_word_meanwhile() -> None:
    mine = document(text="In my words.")
    given_back = _knowing(document(), seen=(mine.content_hash, mine.title))
    assert _only(_read(mine, memory=given_back)).change is Change.SAME
    assert _only(_read(document(text="In my new words."), memory=given_back)).change is Change.CHANGED
    removed = _knowing(document(), seen=(mine.content_hash, mine.title), state="removed")
    came_back = _only(_read(mine, memory=removed))
    assert (came_back.change, came_back.rev_n) == (Change.NEW, 4), "followers dropped it when it was removed"


def test_what_was_seen_otherwise_before_stands_for_a_silent_source_only_when_it_changes() -> None:
    mentioned = lease(SOURCE, request(SOURCE, purpose="entry"))
    mine = document(text="In my words.")
    silent = _knowing(document(), source_id="another", silent=True, seen=(mine.content_hash, mine.title))
    assert _only(_read(mine, of=mentioned, memory=silent)).change is Change.SAME
    assert _only(_read(document(text="New words."), of=mentioned, memory=silent)).change is Change.CHANGED
    first = _knowing(document(), source_id="another", silent=True, sighted=False)
    assert _only(_read(mine, of=mentioned, memory=first)).change is Change.DUPLICATE
    page = _knowing(document(), source_id="another", silent=True, sighted=False, watched=True)
    assert _only(_read(mine, memory=page)).change is Change.CHANGED, "both read the very page"


def test_what_another_source_lost_is_taken_over() -> None:
    memory = _knowing(document(), source_id="another", state="removed", sighted=False)
    assert _only(_read(document(), memory=memory)).change is Change.NEW


def test_what_was_removed_and_comes_back_is_new_even_with_the_same_text() -> None:
    item = _only(_read(document(), memory=_knowing(document(), state="removed")))
    assert (item.change, item.rev_n) == (Change.NEW, 4)


def test_nothing_is_told_as_changed_without_a_difference_to_show() -> None:
    kept = {"known": Kept(title="A title", text=STORY, at=NOW, rev_n=3)}
    memory = replace(_knowing(replace(document(), content_hash="made in another way")), contents=kept)
    assert _only(_read(document(title="A \u200btitle"), memory=memory)).change is Change.SAME
    assert _only(_read(document(title="Another title"), memory=memory)).change is Change.CHANGED
    assert _only(_read(document(text="Another text."), memory=memory)).change is Change.CHANGED


def test_what_a_site_adds_to_titles_and_lines_is_no_change() -> None:
    built = "Example {} documentation, built on {}"
    pages = [(f"Page {number} — Example 3.2 documentation", f"Text {number}.", ()) for number in range(9)]
    site = learned([(title, f"{text}\n{built.format('3.2', '2024-02-27')}", ()) for title, text, _ in pages])
    old = Kept(
        title="Cats — Example 3.2 documentation", text=f"{STORY}\n{built.format('3.2', '2024-02-27')}", at=NOW, rev_n=3
    )
    memory = replace(_knowing(replace(document(), content_hash="before")), contents={"known": old}, site=site)
    new: dict[str, Any] = {"shown": True, "text": f"{STORY}\n{built.format('4.0', '2025-11-05')}"}
    assert _only(_read(document(title="Cats — Example 4.0 documentation", **new), memory=memory)).change is Change.SAME
    told = _read(document(title="Dogs — Example 4.0 documentation", **new), memory=memory)
    assert told.glimpse, "it is looked at again before it is told"


def _valued(**texts: str) -> Document:
    values = tuple(Value(name=name, type=ValueType.TEXT, text=text) for name, text in texts.items())
    return document(shown=True, values=values)


@pytest.mark.parametrize(
    ("first", "second", "told", "noise"),
    [
        ({"a": "2"}, {"a": "2"}, "a 1 → 2", []),
        ({"a": "2"}, {"a": "3"}, "", ["a"]),
        ({"a": "2"}, {"a": "1"}, "", ["a"]),
        ({}, {"a": "1"}, "", ["a"]),
        ({"a": "2", "b": "5"}, {"a": "2", "b": "6"}, "a 1 → 2", ["b"]),
    ],
)
def test_a_value_is_told_if_two_looks_agree_on_it(
    first: dict[str, str], second: dict[str, str], told: str, noise: list[str]
) -> None:
    kept = {"known": Kept(title="A title", text=STORY, at=NOW, rev_n=3)}
    before = _valued(a="1", **({"b": "4"} if "b" in first else {}))
    memory = replace(_knowing(before, facts=facts_of(before)), contents=kept)
    plan = _read(_valued(**first), memory=memory)
    assert (plan.items, bool(plan.glimpse)) == ((), True)
    again = _read(_valued(**second), memory=memory, of=lease(SOURCE, request(SOURCE, glimpse=plan.glimpse)))
    item = _only(again)
    assert item.message == (f"Its metadata changed: {told}." if told else "")
    assert item.change is (Change.CHANGED if told else Change.SAME)
    assert [one.line[1] for _, learnt in again.quirks for one in learnt] == noise


def test_a_value_that_is_known_to_be_noise_needs_no_second_look_for_a_while() -> None:
    quirk = Quirk(line=("the value", "a"), proofs=PROOFS, at=NOW)
    contents = {"known": Kept(title="A title", text=STORY, at=NOW, rev_n=3, quirks=(quirk,))}
    memory = replace(_knowing(_valued(a="1"), facts=facts_of(_valued(a="1"))), contents=contents)
    plan = _read(_valued(a="2"), memory=memory)
    assert (_only(plan).change, plan.glimpse) == (Change.SAME, "")
    later = replace(contents["known"], quirks=(replace(quirk, at=NOW - TRUSTED_FOR - 1),))
    assert _read(_valued(a="2"), memory=replace(memory, contents={"known": later})).glimpse


@pytest.mark.parametrize("memory", [NOTHING, _knowing(document())])
def test_a_page_without_text_is_skipped_and_its_last_content_stays(memory: Remembered) -> None:
    plan = _read(document(text=""), memory=memory)
    item = _only(plan)
    assert (item.change, item.code) == (Change.SKIPPED, "empty")
    assert item.message
    assert plan.failure is None


def test_entries_that_repeat_in_one_payload_count_once() -> None:
    assert len(_read(document(), document(title="Again")).items) == 1


def test_two_entries_with_one_text_in_one_payload_are_one_document_and_its_duplicate() -> None:
    first, second = _read(document(), document("https://example.org/copy")).items
    assert (first.change, second.change) == (Change.NEW, Change.DUPLICATE)
    assert second.duplicate_of == first.document_id


def test_a_payload_with_nothing_to_judge_reports_the_check_itself() -> None:
    plan = _read(status=304)
    assert (_only(plan).change, _only(plan).status) == (Change.SAME, 304)
    assert plan.state is State.UNCHANGED


def test_validators_are_learned_from_an_answer_and_kept_on_not_modified() -> None:
    learned = _read(document(), etag='"2"').validators
    assert learned == Validators(final_url="https://example.org/a", etag='"2"', raw_hash="raw", full_at=NOW)
    held = Validators(etag='"1"', last_modified="then", raw_hash="raw")
    asked = lease(SOURCE, replace(request(SOURCE), validators=held))
    kept = _read(of=asked, status=304, etag="", raw_hash="").validators or held
    assert (kept.etag, kept.last_modified, kept.raw_hash) == (held.etag, held.last_modified, held.raw_hash)


def test_follow_up_requests_are_passed_on() -> None:
    more = request(SOURCE, "https://example.org/b", "entry")
    plan = decide(Reading(lease=lease(SOURCE), payload=payload(), requests=(more,)), NOTHING, NOW)
    assert plan.requests == (more,)


def _fail(
    status: int = 0,
    attempts: int = 0,
    memory: Remembered = NOTHING,
    purpose: str = "root",
    before: str = "",
    **given: Any,
) -> Plan:
    wanted = replace(request(SOURCE, purpose=purpose), attempts=attempts, failed_with=before)
    return decide(Reading(lease=lease(SOURCE, wanted), failure=failure(status, **given)), memory, NOW)


OWNED = Remembered(requests={request(SOURCE).id: _known(document())})


def test_an_error_is_reported_with_its_code_and_touches_neither_content_nor_validators() -> None:
    plan = _fail(500, memory=OWNED)
    item = _only(plan)
    assert (item.change, item.code, item.status, item.message) == (Change.ERROR, "http.500", 500, "It failed.")
    assert plan.validators is None
    assert plan.failure is not None
    assert plan.state is State.ERROR


def test_a_passing_failure_is_tried_again_soon() -> None:
    plan = _fail(503)
    assert plan.next_due is not None
    assert NOW < plan.next_due < NOW + SOURCE.interval_ms
    assert plan.attempts == 1


def test_retries_wait_as_long_as_the_server_asks() -> None:
    assert _fail(429, retry_after=120).next_due == NOW + 120_000
    assert _fail(429, retry_after=10**9).next_due == NOW + DAY


def test_after_enough_tries_a_source_waits_for_its_ordinary_turn() -> None:
    plan = _fail(503, attempts=MAX_ATTEMPTS - 1)
    assert plan.next_due is not None
    assert plan.next_due >= NOW + SOURCE.interval_ms


def test_after_enough_tries_a_followed_request_is_given_up() -> None:
    assert _fail(503, attempts=MAX_ATTEMPTS - 2, purpose="entry").next_due is not None
    assert _fail(503, attempts=MAX_ATTEMPTS - 1, purpose="entry").next_due is None


def test_a_lasting_failure_is_not_repeated_before_its_turn() -> None:
    plan = _fail(403)
    assert plan.next_due is not None
    assert plan.next_due >= NOW + SOURCE.interval_ms


def test_success_ends_the_count_of_tries() -> None:
    wanted = replace(request(SOURCE), attempts=4)
    assert _read(document(), of=lease(SOURCE, wanted)).attempts == 0


def test_a_missing_page_is_looked_for_again_before_it_is_called_removed() -> None:
    plan = _fail(404, memory=OWNED)
    assert _only(plan).change is Change.ERROR
    assert plan.next_due == NOW + CONFIRM_AFTER


def test_a_page_missing_twice_is_removed() -> None:
    plan = _fail(404, attempts=1, before="http.404", memory=OWNED)
    item = _only(plan)
    assert (item.change, item.document_id, item.status) == (Change.REMOVED, "known", 404)
    assert plan.next_due is not None
    assert plan.next_due >= NOW + SOURCE.interval_ms


def test_a_page_missing_after_another_failure_is_looked_for_once_more() -> None:
    plan = _fail(404, attempts=1, before="http.503", memory=OWNED)
    assert _only(plan).change is Change.ERROR
    assert plan.next_due == NOW + CONFIRM_AFTER


def test_a_page_that_says_it_is_gone_is_removed_at_once() -> None:
    assert _only(_fail(410, memory=OWNED)).change is Change.REMOVED


def test_a_removal_forgets_the_validators_so_that_the_same_bytes_are_read_when_they_come_back() -> None:
    assert _fail(410, memory=OWNED).validators == Validators()


@pytest.mark.parametrize(
    "memory", [NOTHING, Remembered(requests={request(SOURCE).id: _known(document(), state="removed")})]
)
def test_what_never_was_or_is_removed_already_stays_an_error(memory: Remembered) -> None:
    assert _only(_fail(404, attempts=3, memory=memory)).change is Change.ERROR


def test_a_document_is_named_by_when_and_where_it_was_first_seen() -> None:
    here, there = (_only(_read(document(), of=lease(SOURCE, dossier_id=name))) for name in ("a", "b"))
    assert here.document_id != there.document_id


def test_the_hash_decides_not_the_bytes() -> None:
    changed: Payload = payload(raw_hash="other bytes")
    reading = Reading(lease=lease(SOURCE), payload=changed, documents=(document(),))
    memory = _knowing(replace(document(), content_hash=content_hash(STORY)))
    assert _only(decide(reading, memory, NOW)).change is Change.SAME


def _listed(*keys: str, memory: Remembered, of: Lease | None = None, requests: tuple[Request, ...] = ()) -> Plan:
    reading = Reading(lease=of or lease(SOURCE), payload=payload(), listing=Listing(keys=keys), requests=requests)
    return decide(reading, memory, NOW)


def test_an_empty_listing_is_believed_only_when_it_is_empty_again() -> None:
    memory = Remembered(had=(_known(document()),))
    plan = _listed(memory=memory)
    assert (_only(plan).code, plan.next_due, plan.validators) == ("empty_listing", NOW + CONFIRM_AFTER, None)
    again = lease(SOURCE, replace(request(SOURCE), failed_with="empty_listing"))
    assert _only(_listed(memory=memory, of=again)).change is Change.REMOVED
    assert _only(_listed(memory=NOTHING)).change is Change.SAME, "There was nothing before, either."


def test_what_is_listed_under_another_address_with_the_same_stamp_has_moved() -> None:
    memory = Remembered(had=(_known(document(), stamp="1-2-3"),))
    moved = request(SOURCE, "https://example.org/b", "file", stamp="1-2-3")
    plan = _listed("url:b", memory=memory, requests=(moved,))
    assert plan.moves == (Move(document_id="known", url="https://example.org/b"),)
    assert _only(plan).change is Change.SAME
    other = replace(memory, keys={url_identity(moved.url): _known(document(moved.url), document_id="other")})
    assert _only(_listed("url:b", memory=other, requests=(moved,))).change is Change.REMOVED


def test_an_optional_request_that_finds_nothing_is_no_error_but_an_outage_is() -> None:
    guess = lease(SOURCE, request(SOURCE, "https://example.org/sitemap.xml", "sitemap", optional=True, every=1))
    missing = decide(Reading(lease=guess, failure=failure(404)), NOTHING, NOW)
    assert (_only(missing).change, missing.failure) == (Change.SAME, None)
    assert missing.next_due
    assert _only(decide(Reading(lease=guess, failure=failure(503)), NOTHING, NOW)).change is Change.ERROR


def _redirect(to: str, status: int, memory: Remembered) -> Plan:
    sent_on = payload(status=status, final_url=to, redirects=((status, SOURCE.url),))
    return decide(Reading(lease=lease(SOURCE), payload=sent_on), memory, NOW)


def test_only_a_permanent_redirect_within_the_host_moves_a_document() -> None:
    to = "https://example.org/b"
    assert _redirect(to, 301, OWNED).moves == (Move(document_id="known", url=to),)
    assert _redirect(to, 302, OWNED).moves == ()
    assert _redirect("https://else.example/b", 301, OWNED).moves == ()
    assert _redirect(to, 301, NOTHING).moves == ()


def test_a_page_that_moved_to_one_we_have_is_removed() -> None:
    to = "https://example.org/b"
    memory = replace(OWNED, keys={url_identity(to): _known(document(to), document_id="there")})
    plan = _redirect(to, 301, memory)
    assert (_only(plan).change, _only(plan).code, plan.moves) == (Change.REMOVED, "moved", ())


def test_a_claim_is_believed_of_a_page_with_the_same_text_only() -> None:
    home = "https://example.org/home"
    known = _known(document(home))
    alias = document("https://example.org/alias", claims=(url_identity(home),))
    memory = Remembered(keys={url_identity(home): known})
    plan = _read(alias, memory=memory)
    assert plan.moves == (Move(document_id="known", url=alias.url, home=False),)
    assert (_only(plan).change, _only(plan).document_id) == (Change.SAME, "known")
    other = document("https://example.org/alias", "Something else. " * 20, claims=(url_identity(home),))
    assert _only(_read(other, memory=memory)).change is Change.NEW


def test_a_home_takes_over_what_its_alias_brought() -> None:
    alias, home = "https://example.org/alias", document("https://example.org/home")
    memory = Remembered(keys={claim_of(home.keys[0]): _known(document(alias))})
    assert _read(home, memory=memory).moves == (Move(document_id="known", url=home.url),)


@pytest.mark.parametrize(("every", "times"), [(1, 1), (7, 7)])
def test_a_turn_may_come_less_often(every: int, times: int) -> None:
    due = _read(document(), of=lease(SOURCE, request(SOURCE, purpose="page", every=every))).next_due
    assert due is not None
    assert times <= (due - NOW) / SOURCE.interval_ms <= times * (1 + SPREAD)


def test_a_source_that_watches_the_very_page_has_no_say_in_what_another_watches() -> None:
    theirs = _knowing(document(text="Their words. " * 20), source_id="other", watched=True)
    assert _only(_read(document(), memory=theirs)).change is Change.SAME
    spoken_of = _knowing(document(text="Their words. " * 20), source_id="other")
    assert _only(_read(document(), memory=spoken_of)).change is Change.CHANGED


def test_a_request_that_was_never_sent_is_as_it_was_only_later() -> None:
    before = request(SOURCE, attempts=1, failed_with="http.404", glimpse="seen")
    paused = failure(code="host_paused", retry_after=90, retryable=True)
    plan = decide(Reading(lease=lease(SOURCE, before), failure=paused), OWNED, NOW)
    assert (plan.attempts, plan.glimpse, plan.deferred, plan.failure) == (1, "seen", True, None)
    assert plan.next_due is not None
    assert plan.next_due >= NOW + 90_000
    assert _only(plan).change is Change.SKIPPED
