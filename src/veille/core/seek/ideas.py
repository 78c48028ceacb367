"""What a language model is asked where rules find nothing, and the changes of a source that its ideas come to.

An idea is worth nothing by itself: each is tried, and needs the same proof as what was found by searching.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, Field

from veille.core.models import Json, Source
from veille.core.prompting.prompts import Material, ModelPrompt
from veille.core.seek.candidates import Remembered, Sought

_MOST: Final = 5
#: Characters of the content that a model is shown.
_SHOWN: Final = 1500
_SELECTORS: Final = (
    "A program watches a part of a web page by CSS selectors. The page was redesigned, and the selectors find nothing. "
    "You are given an outline of the page as it is now (one element per line: its tag with id and classes, how many "
    "characters of text it has, and how the text begins) and the content that the selectors found before. Name up to "
    "five CSS selectors that find {what} on the page now, the best first. Use ids and classes of the outline."
)
_PATHS: Final = (
    "A program reads a list of items from the JSON answer of a service, by paths. The answer was rearranged, and the "
    "paths find nothing. You are given an outline of the answer as it is now (one value per line: its path, with `*` "
    "for every element of a list, and how the value of the first element begins) and the titles of items that were "
    "found before. Name up to five ways to read the items, the best first: `result_path` is the path of the list; "
    "`title`, `text` and `url` are paths within an item, and empty if there is none. Use paths of the outline."
)
_ADDRESSES: Final = (
    "A program watches a web page that is gone from its address. You are given the links of another page of the site "
    "(one per line: the address, and the text of the link) and the page as it was. Name up to five of these "
    "addresses where the page may be now, the most likely first."
)


class Ideas(BaseModel):
    """The answer of a model."""

    @abstractmethod
    def changes(self, source: Source, outline: str) -> list[Json]:
        """The changes of a source that the ideas come to; the outline is what the model was shown."""


class SelectorIdeas(Ideas):
    """Where on a page the content is."""

    selectors: list[str] = Field(max_length=_MOST)

    def changes(self, source: Source, outline: str) -> list[Json]:
        del outline
        if source.kind == "items":
            return [
                {"config": {"item": one, "title_selector": None, "link_selector": None, "date_selector": None}}
                for one in self.selectors
            ]
        return [{"config": {"mode": "css", "selectors": [one]}} for one in self.selectors]


class ItemPaths(BaseModel):
    """Where in an answer a list is, and what is where in its items."""

    result_path: str = Field(max_length=500)
    title: str = Field("", max_length=500)
    text: str = Field("", max_length=500)
    url: str = Field("", max_length=500)

    @property
    def fields(self) -> dict[str, str]:
        """Those that were named."""
        return {name: path for name in ("title", "text", "url") if (path := getattr(self, name))}


class PathIdeas(Ideas):
    """Where in an answer the items are."""

    paths: list[ItemPaths] = Field(max_length=_MOST)

    def changes(self, source: Source, outline: str) -> list[Json]:
        del source, outline
        return [
            {"config": {"result_path": one.result_path or None, "fields": one.fields or None}} for one in self.paths
        ]


class AddressIdeas(Ideas):
    """Where a page may be now."""

    addresses: list[str] = Field(max_length=_MOST)

    def changes(self, source: Source, outline: str) -> list[Json]:
        # Others would be fetched because a model, or a page that it read, says so.
        shown = {line.partition(" ")[0] for line in outline.splitlines()}
        return [{"url": one} for one in dict.fromkeys(self.addresses) if one in shown and one != source.url]


def prompt_for(what: Sought, source: Source, outline: str, before: Sequence[Remembered]) -> ModelPrompt[Ideas]:
    """What a model is asked."""
    is_list = source.kind in {"api", "items"}
    titles = "\n".join(one.title for one in before)
    shape: type[Ideas] = SelectorIdeas
    name, task, label = "repair", _SELECTORS, "the outline of the page"
    task = task.format(what="each item of the list" if is_list else "that content")
    if what is Sought.LINKS:
        shape, name, task, label = AddressIdeas, "repair_address", _ADDRESSES, "the links of the site"
    elif source.kind == "api":
        shape, name, task, label = PathIdeas, "repair_paths", _PATHS, "the outline of the answer"
    content = titles if is_list else before[0].text
    if what is Sought.LINKS:
        content = f"{before[0].title}\n{content}"
    return ModelPrompt(
        name=name,
        version=1,
        task=task,
        wish="Where is it now?",
        materials=(
            Material(label=label, text=outline),
            Material(label="the content as it was", text=content[:_SHOWN]),
        ),
        shape=shape,
        max_tokens=500,
    )
