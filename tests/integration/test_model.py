from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel, Field

import veille
from oracle import Oracle
from veille.core.prompting.prompts import Material, ModelPrompt
from veille.core.prompting.replies import ModelAnswer, NoModelAnswer
from veille.errors import SettingError
from watching import FAST
from world import Page, Site


class Sum(BaseModel):
    total: int
    words: list[str] = Field(max_length=3)


GOOD = {"total": 3, "words": ["a"]}
PROMPT = ModelPrompt(
    name="sum", version=2, task="Add up.", wish="How much?", shape=Sum,
    materials=(Material(label="page 1", text="One and two.\n\nThree."), Material(label="page 2", text="Fence: >>>")),
)  # fmt: skip
Opener = Callable[..., veille.App]


@pytest.fixture
def oracle(site: Site) -> Oracle:
    return Oracle(site)


@pytest.fixture
def opener(tmp_path: Path, oracle: Oracle) -> Iterator[Opener]:
    opened: list[veille.App] = []

    def opens(**given: object) -> veille.App:
        model = oracle.settings | {"timeout_s": 10} | given
        opened.append(veille.open_app(data=tmp_path / "data", fetch=FAST, model=model))
        return opened[-1]

    yield opens
    for one in opened:
        one.close()


def _ask(app: veille.App, prompt: ModelPrompt[Sum] = PROMPT) -> ModelAnswer[Sum] | NoModelAnswer:
    names = [one.name for one in app.dossiers.all()]
    dossier = app.dossier("news") if "news" in names else app.create_dossier("news")
    return app.models.ask(dossier.id, prompt)


def test_an_answer_has_the_wanted_shape_and_says_where_it_is_from(opener: Opener, oracle: Oracle) -> None:
    oracle.replies = [GOOD]
    app = opener()
    answer = _ask(app)
    assert isinstance(answer, ModelAnswer)
    assert answer.value == Sum(total=3, words=["a"])
    assert (answer.model, answer.prompt, answer.is_kept) == ("openai:oracle", "sum/2", False)
    (heard,) = oracle.heard
    assert heard.materials == {"page 1": "One and two.\n\nThree.", "page 2": "Fence: >>>"}
    assert heard.question == "How much?"
    assert heard.wish["response_format"]["json_schema"]["schema"]["required"] == ["total", "words"]
    assert app.models.used(app.dossier("news").id) == 100


def test_what_was_asked_before_is_answered_from_before_also_after_a_restart(opener: Opener, oracle: Oracle) -> None:
    oracle.replies = [GOOD]
    with opener() as app:
        first = _ask(app)
    app = opener()
    again = _ask(app)
    assert isinstance(first, ModelAnswer)
    assert isinstance(again, ModelAnswer)
    assert (again.value, again.at, again.is_kept) == (first.value, first.at, True)
    assert len(oracle.heard) == 1
    other = ModelPrompt(name="sum", version=3, task="Add up.", wish="How much?", shape=Sum, materials=PROMPT.materials)
    oracle.replies = [{"total": 4, "words": []}]
    changed = _ask(app, other)
    assert isinstance(changed, ModelAnswer)
    assert changed.value.total == 4, "another version of the prompt is another question"


def test_every_question_has_a_fence_of_its_own(opener: Opener, oracle: Oracle) -> None:
    oracle.rule = lambda _: GOOD
    app = opener(keep_days=0)
    for _ in range(3):
        assert isinstance(_ask(app), ModelAnswer)
    assert len({heard.messages[1]["content"].split()[0] for heard in oracle.heard}) == 3


@pytest.mark.parametrize("reply", ["Sure! ```json\n{}\n``` There.", "The answer {{is}}: {}"])
def test_words_around_the_json_are_forgiven(opener: Opener, oracle: Oracle, reply: str) -> None:
    oracle.replies = [reply.replace("{}", '{"total": 3, "words": ["a"]}')]
    answer = _ask(opener())
    assert isinstance(answer, ModelAnswer)
    assert answer.value.total == 3


NONSENSE = [
    "", "Bananas.", "{", '{"total": "many", "words": []}', '{"total": 1}', "[1, 2]", "null", '{"total": 1, "words": 5}',
    '{"total": 3, "words": ["a"', "{" * 5000, '{"a":' * 5000, '{"total": 1, "words": ["a", "b", "c", "d"]}',
]  # fmt: skip


@pytest.mark.parametrize("reply", NONSENSE, ids=range(len(NONSENSE)))
def test_a_reply_that_cannot_be_used_is_asked_for_once_more(opener: Opener, oracle: Oracle, reply: str) -> None:
    oracle.replies = [reply, GOOD]
    answer = _ask(opener())
    assert isinstance(answer, ModelAnswer)
    assert [message["role"] for message in oracle.heard[1].messages] == ["system", "user", "assistant", "user"]


def test_a_model_that_answers_nonsense_twice_is_given_up(opener: Opener, oracle: Oracle) -> None:
    app = opener()
    answer = _ask(app)
    assert isinstance(answer, NoModelAnswer)
    assert answer.code == "model.nonsense"
    assert len(oracle.heard) == 2
    assert app.models.used(app.dossier("news").id) == 200, "it was paid for"


def test_a_reply_that_was_cut_off_is_told_so(opener: Opener, oracle: Oracle) -> None:
    oracle.finish = "length"
    oracle.replies = ['{"total": 3, "wor', GOOD]
    assert isinstance(_ask(opener()), ModelAnswer)
    assert "brief" in oracle.heard[1].messages[-1]["content"]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_service_that_is_busy_is_asked_again(opener: Opener, oracle: Oracle, site: Site, status: int) -> None:
    oracle.replies = [Page(b"busy", status=status, validates=False), GOOD]
    assert isinstance(_ask(opener()), ModelAnswer)
    assert [seen.status for seen in site.seen] == [status, 200]
    assert site.seen[1].at - site.seen[0].at > 0.4


def test_a_service_that_asks_for_a_long_pause_is_not_waited_for(opener: Opener, oracle: Oracle) -> None:
    oracle.replies = [Page(b"busy", status=429, headers={"Retry-After": "3600"}, validates=False)]
    answer = _ask(opener())
    assert isinstance(answer, NoModelAnswer)
    assert (answer.code, "http.429" in answer.message, len(oracle.heard)) == ("model.failed", True, 1)


def test_a_service_that_goes_on_failing_is_given_up(opener: Opener, oracle: Oracle) -> None:
    oracle.rule = lambda _: Page(b"broken", status=500, validates=False)
    app = opener(tries=2)
    answer = _ask(app)
    assert isinstance(answer, NoModelAnswer)
    assert (answer.code, len(oracle.heard)) == ("model.failed", 2)
    assert app.models.used(app.dossier("news").id) == 0


def test_a_service_that_does_not_answer_in_time_is_given_up(opener: Opener, oracle: Oracle) -> None:
    oracle.rule = lambda _: Page(b"{}", delay_s=5, validates=False)
    started = time.monotonic()
    app = opener(timeout_s=1)
    answer = _ask(app)
    assert isinstance(answer, NoModelAnswer)
    assert (answer.code, "timeout" in answer.message) == ("model.failed", True)
    assert time.monotonic() - started < 3.5
    assert app.models.used(app.dossier("news").id) > 0, "it may have done its work"


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"choices": []}', b'{"choices": [{"message": {"content": 5}}]}'])
def test_an_answer_that_is_not_the_protocol_is_refused(opener: Opener, oracle: Oracle, body: bytes) -> None:
    oracle.rule = lambda _: Page(body, type="application/json", validates=False)
    answer = _ask(opener())
    assert isinstance(answer, NoModelAnswer)
    assert (answer.code, "/v1/chat/completions" in answer.message) == ("model.failed", True)


def test_a_service_that_knows_no_form_of_answers_is_asked_without(opener: Opener, oracle: Oracle, site: Site) -> None:
    oracle.takes_forms = False
    oracle.replies = [GOOD]
    assert isinstance(_ask(opener()), ModelAnswer)
    assert [seen.status for seen in site.seen] == [400, 400, 200]


def test_the_budget_of_a_day_is_kept_also_after_a_restart(opener: Opener, oracle: Oracle) -> None:
    oracle.rule = lambda _: GOOD
    oracle.tokens = 3000
    with opener(tokens_per_day=4000, keep_days=0) as app:
        assert isinstance(_ask(app), ModelAnswer)
    app = opener(tokens_per_day=4000, keep_days=0)
    answer = _ask(app)
    assert isinstance(answer, NoModelAnswer)
    assert (answer.code, len(oracle.heard)) == ("model.budget", 1)
    other = app.create_dossier("other")
    assert isinstance(app.models.ask(other.id, PROMPT), ModelAnswer), "each dossier has its own"


def test_a_service_that_does_not_count_is_counted_for(opener: Opener, oracle: Oracle) -> None:
    oracle.tokens = None
    oracle.replies = [GOOD]
    app = opener()
    _ask(app)
    assert 100 < app.models.used(app.dossier("news").id) < 1000


def test_a_count_that_cannot_be_is_not_believed(opener: Opener, oracle: Oracle) -> None:
    oracle.tokens = 10**30
    oracle.replies = [GOOD]
    app = opener()
    assert isinstance(_ask(app), ModelAnswer)
    assert 100 < app.models.used(app.dossier("news").id) < 1000


def test_without_a_model_nothing_is_asked(app: veille.App) -> None:
    answer = _ask(app)
    assert isinstance(answer, NoModelAnswer)
    assert answer.code == "model.none"
    assert not app.models.is_there


@pytest.mark.parametrize(
    ("model", "named"),
    [
        ({"kind": "crystal-ball"}, "openai"),
        ({"kind": "openai"}, "model.options.url"),
        ({"kind": "openai", "options": {"url": "ftp://x", "model": "m"}}, "model.options.url"),
        ({"kind": "openai", "options": {"url": "http://a/v1", "model": "m", "colour": "red"}}, "colour"),
        ({"tokens_per_day": -1}, "tokens_per_day"),
    ],
)
def test_wrong_settings_are_named_before_any_work_begins(tmp_path: Path, model: dict[str, object], named: str) -> None:
    with pytest.raises(SettingError, match=named):
        veille.open_app(data=tmp_path, model=model)
