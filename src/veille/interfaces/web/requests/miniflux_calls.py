"""A request of an app that speaks the Miniflux protocol: numbers in its path, parameters, a body of JSON."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from veille.core.readers.entries import BY_CATEGORY, ORDERS, EntryQuery
from veille.core.text import storable
from veille.errors import ConfigError, NotFoundError
from veille.interfaces.operations._limits import json_object
from veille.interfaces.web.requests.app_forms import whole_number
from veille.services.reading.search import MAX_LIMIT

if TYPE_CHECKING:
    from veille.core.readers.streams import ReaderItem
    from veille.interfaces.web.requests.app_forms import AppForm
    from veille.interfaces.web.requests.calls import Call
    from veille.services.reading.reader_apps import ReaderAppService, ReaderFeed

#: Entries of one answer: what an app gets that says nothing, and the most.
_USUAL, _MOST = 100, 1000
_YES = frozenset({"1", "true", "t"})


@dataclass(frozen=True)
class MinifluxCall:
    """One request, with what the app may see."""

    call: Call
    form: AppForm
    raw: bytes

    @cached_property
    def body(self) -> dict[str, Any]:
        """What was sent as JSON. No app says that it is JSON in the same way; it is never anything else."""
        try:
            return storable(json_object(self.raw, "The body", "bad_entry")) if self.raw.strip() else {}
        except ValueError as error:
            raise ConfigError(f"The body is refused: {error}.", code="bad_entry") from error

    @property
    def path(self) -> dict[str, Any]:
        """The numbers in the path."""
        return self.call.request.path_params

    @property
    def reader(self) -> ReaderAppService:
        return self.call.services.reader_apps

    @property
    def user_id(self) -> str:
        return self.call.access.who.user_id

    @cached_property
    def feeds(self) -> list[ReaderFeed]:
        return self.reader.feeds()

    @cached_property
    def categories(self) -> dict[str, int]:
        """The numbers of the dossiers, which are categories here; those of one name are one."""
        return self.reader.label_numbers({one.name for one in self.call.access.dossiers()})

    @cached_property
    def items(self) -> list[ReaderItem]:
        return self.reader.items(self.user_id, self.feeds, tagged=True)

    def number(self, name: str) -> int:
        """A number in the path."""
        found = whole_number(self.path[name])
        if found is None:
            raise NotFoundError("There is no such thing.", code="not_found")
        return found

    def feed(self) -> ReaderFeed:
        """The feed of the path."""
        number = self.number("feed_id")
        for one in self.feeds:
            if one.number == number:
                return one
        raise NotFoundError("There is no such feed.", code="no_source")

    def category(self) -> str:
        """The name of the category of the path."""
        return self.named(self.number("category_id"))

    def named(self, number: int) -> str:
        for name, of in self.categories.items():
            if of == number:
                return name
        raise NotFoundError("There is no such category.", code="no_dossier")

    def of_category(self, name: str) -> frozenset[int]:
        """The numbers of its feeds."""
        return frozenset(one.number for one in self.feeds if one.dossier.name == name)

    def page(self) -> tuple[int, int]:
        """Where the page of entries begins, and how many it has."""
        form = self.form
        return form.number("offset"), min(form.number("limit", _USUAL) or _MOST, _MOST)

    def query(self) -> EntryQuery:
        """The entries that the path and the parameters ask for."""
        form, order = self.form, self.form.one("order") or "published_at"
        if order not in (*ORDERS, *BY_CATEGORY):
            raise ConfigError(f"order is one of {', '.join((*ORDERS, *BY_CATEGORY))}.", code="bad_entry")
        return EntryQuery(
            feeds=self._asked_feeds(),
            documents=self._searched(form.one("search")),
            is_unread=self._is_unread(),
            is_kept=form.one("starred").lower() in _YES if "starred" in form else None,
            before=self._at("before", "published_before"),
            after=self._at("after", "published_after"),
            # When something was marked is not kept. Apps that ask for what changed since get everything, which is more
            # than they asked for and nothing wrong.
            before_number=self._known("before_entry_id"),
            after_number=self._known("after_entry_id"),
            order=order,
            categories=self._places(order) if order in BY_CATEGORY else None,
            is_descending=form.one("direction") == "desc",
        )

    def _places(self, order: str) -> dict[int, Any]:
        by_name = order == "category_title"
        return {one.number: one.dossier.name if by_name else self.categories[one.dossier.name] for one in self.feeds}

    def _asked_feeds(self) -> frozenset[int] | None:
        if "feed_id" in self.path:
            return frozenset({self.feed().number})
        if "category_id" in self.path:
            return self.of_category(self.category())
        if (number := self._known("category_id")) is not None:
            return self.of_category(self.named(number))
        return None if (number := self._known("feed_id")) is None else frozenset({number})

    def _searched(self, text: str) -> frozenset[tuple[str, str]] | None:
        if not text:
            return None
        ids = [one.id for one in self.call.access.dossiers()]
        hits = self.call.services.searches.search(ids, text, MAX_LIMIT)
        return frozenset((hit.dossier_id, hit.document_id) for hit in hits)

    def _is_unread(self) -> bool | None:
        wanted = set(self.form.all("status"))
        if wanted - {"read", "unread", "removed"}:
            raise ConfigError("status is read, unread or removed.", code="bad_entry")
        # Nothing is ever removed here.
        wanted.discard("removed")
        return "unread" in wanted if len(wanted) == 1 else None

    def _known(self, name: str) -> int | None:
        return whole_number(self.form.one(name))

    def _at(self, *names: str) -> int | None:
        """A time, sent in seconds."""
        return next((1000 * at for name in names if (at := self._known(name)) is not None), None)
