"""A language model for tests: a service on loopback that speaks OpenAI's protocol and says what a script says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from world import Asked, Page, Site

PATH = "/v1/chat/completions"
_FENCE = re.compile(r"^<<<(\w+) (.*)\n((?:.*\n)*?)\1>>>$", re.MULTILINE)


@dataclass(frozen=True)
class Heard:
    """What the model was asked: the materials between the fences by label, and what stands after them."""

    messages: list[dict[str, str]]
    wish: dict[str, Any]

    @property
    def materials(self) -> dict[str, str]:
        return {label: text.rstrip("\n") for _, label, text in _FENCE.findall(self._first)}

    @property
    def question(self) -> str:
        return _FENCE.sub("", self._first).strip()

    @property
    def _first(self) -> str:
        return self.messages[1]["content"]


#: What it replies: a text, a value that is sent as JSON, or a whole page (an error, a slow answer, no JSON at all).
Reply = str | dict[str, Any] | Page


class Oracle:
    """Replies one by one from `replies`; when they are used up, by `rule`. Everything it was asked is in `heard`."""

    def __init__(self, site: Site, replies: Iterable[Reply] = (), rule: Callable[[Heard], Reply] | None = None) -> None:
        self.replies = list(replies)
        self.rule = rule
        self.heard: list[Heard] = []
        #: Whether a wish for a form of answer is rejected, as some services do.
        self.takes_forms = True
        #: What it says it used; None: it does not say.
        self.tokens: int | None = 100
        self.finish = "stop"
        #: Whether it sends a reply in parts to whoever wishes that; False: it sends the whole all the same.
        self.streams = True
        #: Whether it rejects that wish.
        self.takes_streams = True
        #: How the body of such a reply is cut, and how long it takes: each part is sent when it is there.
        self.cut: Callable[[bytes], Iterable[bytes]] = lambda body: [body]
        self.settings: dict[str, Any] = {
            "kind": "openai", "options": {"url": f"{site.url}{PATH}", "model": "oracle", "token": "t0ken"},
        }  # fmt: skip
        site.made[PATH] = self._answer

    def _answer(self, asked: Asked) -> Page:
        wish = json.loads(asked.body)
        assert (wish["model"], asked.headers["Authorization"]) == ("oracle", "Bearer t0ken")
        if "response_format" in wish and not self.takes_forms:
            return Page(b'{"error": {"message": "response_format is not supported"}}', status=400, validates=False)
        if wish["stream"] and not self.takes_streams:
            return Page(b'{"error": {"message": "stream is not supported"}}', status=422, validates=False)
        heard = Heard(wish["messages"], wish)
        self.heard.append(heard)
        reply: Reply = self.replies.pop(0) if self.replies else self.rule(heard) if self.rule else "I know nothing."
        if isinstance(reply, Page):
            return reply
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        return self._streamed(text) if wish["stream"] and self.streams else self._page(text)

    def _streamed(self, text: str) -> Page:
        body = events(text, self.finish, self.tokens)
        return Page(b"", type="text/event-stream", validates=False, parts=lambda: self.cut(body))

    def _page(self, text: str) -> Page:
        answer = {
            "id": "1", "object": "chat.completion", "model": "oracle",
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": self.finish}
            ],
        } | ({"usage": {"total_tokens": self.tokens}} if self.tokens else {})  # fmt: skip
        return Page(json.dumps(answer).encode(), type="application/json", validates=False)


def events(text: str, finish: str = "stop", tokens: int | None = None, size: int = 4) -> bytes:
    """A reply as it is streamed: a few signs of it in each event, then why it ended, and what it cost."""
    told: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": {"role": "assistant"}, "finish_reason": None}]}]
    told += [
        {"choices": [{"index": 0, "delta": {"content": text[at : at + size]}, "finish_reason": None}]}
        for at in range(0, len(text), size)
    ]
    told.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    if tokens:
        told.append({"choices": [], "usage": {"total_tokens": tokens}})
    said = [json.dumps(one, ensure_ascii=False) for one in told]
    return "".join(f"data: {one}\n\n" for one in [*said, "[DONE]"]).encode()
