"""One dossier for a Python program: its sources, what changed, and everything that was kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from veille.core.models import Scope, Source
from veille.core.outgoing.cursors import parse_cursor
from veille.core.records import Event, Revision, RevisionLine, RunItem
from veille.core.schedule import duration_ms
from veille.core.search.answers import Hit
from veille.core.values.value import ValuePoint
from veille.errors import ConfigError
from veille.library.arguments import as_cursor, as_number, as_text
from veille.library.rows import ChangeRows, Rows
from veille.services.watching.adding import Terms

if TYPE_CHECKING:
    from veille.bootstrap import App
    from veille.core.ask.passages import AskAnswer
    from veille.core.models import Dossier
    from veille.core.search.question import SearchMode

#: Changes that are read at once.
_PAGE = 500


class OpenApp:
    """What a data folder and its dossiers work with, until it is closed."""

    def __init__(self, app: App) -> None:
        self._app: App | None = app

    @property
    def app(self) -> App:
        if self._app is None:
            raise ConfigError("This data folder is closed; open it again with `veille.open`.", code="closed")
        return self._app

    def close(self) -> None:
        """Close it; does nothing if it is closed."""
        app, self._app = self._app, None
        if app is not None:
            app.close()


class WatchedDossier:
    """A dossier of an open data folder: sources that belong together, and the documents they brought.

    A source can be named by its name, id or address, a document by its id, the beginning of it, or its address.
    """

    def __init__(self, opened: OpenApp, dossier: Dossier) -> None:
        self._opened = opened
        self.id, self.name = dossier.id, dossier.name

    @property
    def _app(self) -> App:
        return self._opened.app

    def __repr__(self) -> str:
        return f"<dossier {self.name!r}>"

    def add(
        self,
        url: str,
        *,
        kind: str = "",
        name: str = "",
        every: str = "",
        cron: str = "",
        adaptive: bool = False,
        **options: Any,
    ) -> Source:
        """Watch something. Without `kind` and options it is fetched once, to find out what it is.

        `every`: "15m", "2h", "1d". Options are those of the kind: `selectors=[".price"]`, `follow_links=True`.

        >>> tea = prices.add("https://shop.example/tea", name="tea", values={"price": {"selector": ".price"}})
        >>> tea.kind, tea.interval_ms
        ('page', 3600000)
        """
        interval_ms = duration_ms(every) if as_text(every) else None
        terms = Terms(name=as_text(name), interval_ms=interval_ms, cron=as_text(cron), adaptive=adaptive)
        terms.check()
        url = as_text(url)
        if as_text(kind) or options:
            return self._app.sources.add(self.id, terms.wish(url, kind, options))
        with self._app.detector() as detector:
            detection, body = detector.detect(url, terms.interval_of(url))
        added = self._app.adding.add(self.id, detection, body, terms)
        return added.source or self._app.sources.find(self.id, url)

    def remove(self, source: str | Source) -> None:
        """Watch a source no longer; it can be restored for seven days.

        >>> prices.remove("tea")
        """
        self._app.sources.delete(self.id, self._source(source).id)

    def sources(self) -> Rows[Source]:
        """All sources, by name.

        >>> [(source.name, str(source.state)) for source in prices.sources()]
        [('tea', 'pending')]
        """
        return Rows(self._app.sources.all(self.id), Source)

    def check(self, *sources: str | Source) -> Rows[RunItem]:
        """Check these sources now, or all of them, and deliver what is new; returns the report, line by line.

        >>> [(str(line.change), line.title, line.code) for line in prices.check("tea")]
        [('new', 'Smoked tea', '')]
        """
        ids = [self._source(one).id for one in sources]
        self._app.queue.arm(self.id, self._app.clock(), ids or None)
        scope = Scope(dossiers=frozenset({self.id}), sources=frozenset(ids) if ids else None)
        runs = self._app.run(scope, wait=True)
        self._app.deliver([self.id])
        return Rows((item for run in runs for item in run.items), RunItem)

    def changes(self, since: str | int = "", limit: int = 1000) -> ChangeRows[Event]:
        """What is new, changed or removed since a cursor or number, in order; from the beginning without one.

        The result has the `cursor` to go on from.

        >>> before = prices.changes()
        >>> [(str(change.change), change.title) for change in before]
        [('new', 'Smoked tea')]
        >>> report = prices.check("tea")  # the price has risen
        >>> [value for change in prices.changes(before.cursor) for value in change.told.values]
        [ToldValue(name='price', before='12.90 EUR', after='13.90 EUR', percent=7.8)]
        """
        events, cursor = self._app.exports.events([self.id], parse_cursor(as_cursor(since)), as_number(limit))
        return ChangeRows(events, str(cursor), Event)

    def all_changes(self, since: str | int = "") -> Iterator[Event]:
        """The same without a limit, read as they are needed.

        >>> [change.rev_n for change in prices.all_changes()]
        [1, 2]
        """
        while page := self.changes(since, _PAGE):
            yield from page
            since = page.cursor

    def search(self, query: str, limit: int = 20, *, mode: SearchMode | None = None) -> Rows[Hit]:
        """Documents that have these words, or answer this question; see `docs/howto/find-documents.md`.

        >>> [(hit.title, hit.source_name) for hit in prices.search('"over a fire" after:7d')]
        [('Smoked tea', 'tea')]
        """
        return Rows(self._app.searches.search([self.id], as_text(query), as_number(limit), mode=mode), Hit)

    def ask(self, question: str, limit: int = 5, *, with_model: bool = True) -> AskAnswer:
        """An answer in the very words of the documents; every citation is checked against the stored text.

        >>> answer = prices.ask("When does the shop open?")
        >>> answer.statements[0].citations[0].quote
        'The shop opens at nine and closes at six, and sends the tea to every island that a ferry reaches.'
        """
        return self._app.asking.ask(self.id, as_text(question), as_number(limit), with_model=with_model)

    def documents(self, source: str | Source = "", limit: int = 1000) -> Rows[Revision]:
        """The current revisions of documents, last changed first.

        >>> [(document.title, document.n) for document in prices.documents("tea")]
        [('Smoked tea', 2)]
        """
        with self._app.reading(self.id) as reading:
            return Rows(reading.records.documents(self._chosen(source) or None, as_number(limit)), Revision)

    def document(self, document: str, revision: int | None = None) -> Revision:
        """A revision of a document with its text: the current one, or that of a number.

        >>> "12.90 EUR" in prices.document("https://shop.example/tea", 1).text
        True
        """
        number = None if revision is None else as_number(revision)
        with self._app.reading(self.id) as reading:
            return reading.records.revision(reading.records.find(as_text(document)), number)

    def revisions(self, document: str) -> Rows[RevisionLine]:
        """All revisions of a document without their texts, newest first.

        >>> [revision.n for revision in prices.revisions("https://shop.example/tea")]
        [2, 1]
        """
        with self._app.reading(self.id) as reading:
            return Rows(reading.records.revision_lines(reading.records.find(as_text(document))), RevisionLine)

    def values(self, source: str | Source = "", *, name: str = "", since: str = "") -> Rows[ValuePoint]:
        """Every point of the values that are followed, such as prices; `since`: "30d", "12h".

        >>> [point.value.text for point in prices.values("tea", name="price", since="30d")]
        ['12.90 EUR', '13.90 EUR']
        """
        after = self._app.clock() - duration_ms(since) if as_text(since) else 0
        with self._app.reading(self.id) as reading:
            points = reading.values.series(source_id=self._chosen(source), name=as_text(name), since=after)
            return Rows(points, ValuePoint)

    def _chosen(self, source: str | Source) -> str:
        """The id of the source that was asked for; empty for all."""
        return self._source(source).id if source != "" else ""

    def _source(self, source: str | Source) -> Source:
        return source if isinstance(source, Source) else self._app.sources.find(self.id, as_text(source))
