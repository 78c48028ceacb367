from __future__ import annotations

import pytest

from veille.core.browsing.steps import BrowserStep, references_of, step_lines
from veille.core.kinds import kind_of
from veille.errors import ConfigError

LINES = """open: /login
accept
type: input[name='a = b'] = anna
type: #password = ${secret:shop}
choose: #size = Large
click: text=Log in
wait: .price
wait: 1.5 s
scroll: bottom
press: Enter
press: #q = Control+A"""


def test_steps_are_written_as_lines_and_read_back_the_same() -> None:
    config = kind_of("page", {"steps": LINES}).config
    kept = config.model_dump(mode="json", exclude_unset=True)["steps"]
    assert kept == LINES.split("\n")
    steps = tuple(BrowserStep.model_validate(line) for line in kept)
    assert step_lines(steps) == LINES
    assert references_of(steps) == {"secret:shop"}
    assert steps[2] == BrowserStep(do="type", target="input[name='a = b']", text="anna")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("clik: #a", "Did you mean click?"),
        ("click: a >> b", "cannot be read"),
        ("click: a:has-text('x')", "cannot be read"),
        ("type: #user", "something is missing"),
        ("type: #password = hunter2", "keep a password in the vault"),
        ("type: #user = ${HOME}", "written as ${secret:NAME}"),
        ("type: #user = ${secret:shop", "without its"),
        ("click: ${secret:shop}", "only what is typed"),
        ("open: file:///etc/passwd", "http or https"),
        ("open: /x?key=${secret:shop}", "no secrets"),
        ("wait: 60", "at most 20 s"),
        ("press: rm -rf", "no key"),
        ("click: \u202e#a", "printable"),
    ],
)
def test_a_step_that_can_never_work_is_refused_with_its_line(line: str, said: str) -> None:
    with pytest.raises(ConfigError, match="line 2: ") as caught:
        kind_of("page", {"steps": f"accept\n{line}"})
    assert said in str(caught.value)


def test_a_site_has_no_steps() -> None:
    with pytest.raises(ConfigError, match="no option steps"):
        kind_of("site", {"steps": ["accept"]})
