"""The steps of a visit: what a browser does on a page before it is read, one short line each.

    open: /login
    accept
    type: #user = anna
    type: #password = ${secret:shop}
    click: text=Log in
    wait: .price

An element is named by a CSS selector, by words it shows (`text=Log in`) or by the label of a field (`label=E-mail`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final, Literal, Self, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)

from veille.core.addresses import REFERENCE
from veille.core.browsing.css import is_css
from veille.errors import did_you_mean, plain_words

Action = Literal["open", "click", "type", "choose", "wait", "scroll", "press", "accept"]
ACTIONS: Final[tuple[str, ...]] = get_args(Action)
#: As many steps a visit may have.
MOST_STEPS: Final = 30
#: The longest pause of one step, in seconds.
LONGEST_PAUSE: Final = 20
_IN_VAULT: Final = "secret:"
_SECONDS: Final = re.compile(r"(\d{1,3}(?:\.\d{1,2})?)\s*(?:s|sec|seconds?)?", re.IGNORECASE)
_KEY: Final = re.compile(r"(?:(?:Control|Shift|Alt|Meta)\+)*(?:[A-Za-z0-9]|[A-Z][A-Za-z0-9]{1,15})")
_PASSWORD: Final = re.compile(r"passw|pwd|type=[\"']?password", re.IGNORECASE)
#: How an element is named other than by a CSS selector.
BY_WORDS: Final = ("text=", "label=")
_DIRECTIONS: Final = frozenset({"down", "up", "bottom", "top"})
#: What is written after the name of a step.
_SHAPES: Final = {
    "open": "open: /login",
    "click": "click: text=Log in",
    "type": "type: #user = anna",
    "choose": "choose: #size = Large",
    "wait": "wait: .price, wait: text=Welcome or wait: 2 s",
    "scroll": "scroll: bottom or scroll: #reviews",
    "press": "press: Enter",
    "accept": "accept",
}


class BrowserStep(BaseModel):
    """One step. It is stored and shown as its line."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    do: Action
    #: The element; for `open` the address, for `scroll` also a direction; empty for `wait` and `press` without one.
    target: str = Field("", max_length=1000)
    #: What is typed or chosen, or the key to press.
    text: str = Field("", max_length=2000)
    #: How long to wait, if for no element.
    seconds: float = Field(0, ge=0, le=LONGEST_PAUSE)

    @model_validator(mode="before")
    @classmethod
    def _from_line(cls, written: object) -> object:
        return _parts(written) if isinstance(written, str) else written

    @field_validator("target", "text")
    @classmethod
    def _one_line(cls, text: str) -> str:
        if not text.isprintable():
            raise ValueError("a step is one line of printable characters")
        return text

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        problem = _problem(self)
        if problem:
            raise ValueError(problem)
        return self

    @model_serializer
    def _as_line(self) -> str:
        return self.line

    @property
    def line(self) -> str:
        """The step as it is written."""
        if self.do == "accept":
            return "accept"
        if self.do == "wait" and not self.target:
            return f"wait: {self.seconds:g} s"
        return f"{self.do}: {' = '.join(part for part in (self.target, self.text) if part)}"

    @property
    def references(self) -> frozenset[str]:
        """The secrets that are typed, as `secret:NAME`."""
        return frozenset(match[1] for match in REFERENCE.finditer(self.text)) if self.do == "type" else frozenset()


def _lines(value: object) -> object:
    """A text with one step per line, as a list; each with its number in the message if it is not right."""
    if isinstance(value, str):
        value = [line for line in value.splitlines() if line.strip()]
    if not isinstance(value, list | tuple):
        return value
    steps = []
    for number, one in enumerate(value, 1):
        try:
            steps.append(BrowserStep.model_validate(one))
        except ValidationError as error:
            raise ValueError(f"line {number}: {plain_words(error.errors()[0]['msg'])}") from error
    return tuple(steps)


#: Steps as an option: a list of lines or records, or one text with a step per line.
Steps = Annotated[tuple[BrowserStep, ...], BeforeValidator(_lines), Field(max_length=MOST_STEPS)]


def step_lines(steps: Iterable[BrowserStep]) -> str:
    """Steps as they are written in a form."""
    return "\n".join(step.line for step in steps)


def references_of(steps: Sequence[BrowserStep]) -> frozenset[str]:
    """The secrets that all of these steps type."""
    return frozenset[str]().union(*(step.references for step in steps))


def _parts(line: str) -> dict[str, Any]:
    name, _, rest = line.strip().partition(":")
    do, rest = name.strip().lower(), rest.strip()
    do = {"wait_for": "wait", "goto": "open", "select": "choose", "fill": "type"}.get(do, do)
    if do not in ACTIONS:
        raise ValueError(f"there is no step {do[:40]!r}.{did_you_mean(do, ACTIONS)} Steps: {', '.join(ACTIONS)}")
    if do == "wait" and (pause := _SECONDS.fullmatch(rest)):
        if float(pause[1]) > LONGEST_PAUSE:
            raise ValueError(f"a pause is at most {LONGEST_PAUSE} s: wait for an element instead, as in wait: .price")
        return {"do": do, "seconds": float(pause[1])}
    if do in {"type", "choose", "press"}:
        target, text = _apart(rest)
        if do == "press" and not text:
            target, text = "", target
        return {"do": do, "target": target, "text": text}
    return {"do": do, "target": rest}


def _apart(rest: str) -> tuple[str, str]:
    """An element and what follows the first ` = ` that is not inside brackets or quotes."""
    depth, quote = 0, ""
    for at, letter in enumerate(rest):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'" and depth:
            quote = letter
        elif letter in "[(":
            depth += 1
        elif letter in "])":
            depth -= 1
        elif letter == "=" and not depth and rest[at - 1 : at] == " " and rest[at + 1 : at + 2] in {" ", ""}:
            return rest[:at].strip(), rest[at + 1 :].strip()
    return rest, ""


def _problem(step: BrowserStep) -> str:
    """Why a step can never work; empty if it may."""
    if _is_incomplete(step):
        return f"something is missing or too much: write it as {_SHAPES[step.do]}"
    if step.do == "open":
        return _address_problem(step.target)
    if step.do == "press" and not _KEY.fullmatch(step.text):
        return f"{step.text[:40]!r} is no key: write it as {_SHAPES[step.do]}"
    if step.do == "scroll" and step.target in _DIRECTIONS:
        return ""
    return _target_problem(step.target) or (_text_problem(step) if step.do == "type" else "")


def _is_incomplete(step: BrowserStep) -> bool:
    if step.do == "accept":
        return bool(step.target or step.text)
    if step.do == "wait":
        return bool(step.target) == bool(step.seconds)
    if step.do == "press":
        return not step.text
    return not step.target or (step.do in {"type", "choose"}) != bool(step.text)


def _address_problem(target: str) -> str:
    if REFERENCE.search(target) or "${" in target:
        return "an address has no secrets in it: addresses are stored and reported"
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", target)
    if scheme and scheme[1].lower() not in {"http", "https"}:
        return "a page is opened by its http or https address, or by its path: open: /login"
    return ""


def _target_problem(target: str) -> str:
    if not target:
        return ""
    if "${" in target:
        return "only what is typed may be a secret"
    if target.startswith(BY_WORDS):
        return "" if target.partition("=")[2].strip() else f"words are missing after {target}"
    if not is_css(target):
        return f"the CSS selector {target[:100]!r} cannot be read; to name an element by its words write text={target}"
    return ""


def _text_problem(step: BrowserStep) -> str:
    if "${" in REFERENCE.sub("", step.text):
        return "there is a `${` without its `}`"
    if any(not one.startswith(_IN_VAULT) for one in step.references):
        return "a secret is written as ${secret:NAME}"
    if _PASSWORD.search(step.target) and not step.references:
        return "keep a password in the vault, and write ${secret:NAME} here"
    return ""
