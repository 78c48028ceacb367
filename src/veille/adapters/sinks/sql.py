"""Two tables of any database that SQLAlchemy knows: every change, and every document as it is now.

`<prefix>changes` has a row for each change, with the fields of [the exchange format](exchange.md); a reader continues
with `WHERE dossier_id = … AND seq > …`. `<prefix>documents` has a row for each document as after its last change, with
`removed_at` while it is removed. Times are timestamps with time zone, `meta` and `changed_metadata` are JSON. Missing
tables are created. What is delivered again after a crash is stored once. Needs the extra `sql`, and the driver of the
database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from pydantic import Field, SecretStr

from veille.adapters.sinks._tables import Tables, engine_of
from veille.core.records import Parcel
from veille.errors import SinkError
from veille.ports import Means, Recall, Sink, SinkConfig

_Result = TypeVar("_Result")


class SqlConfig(SinkConfig):
    """Options of the tables."""

    url: SecretStr = Field(
        description="The database, as SQLAlchemy names it, such as `sqlite:////folder/news.db`; with a password better "
        "set by variable, `VEILLE_SINKS__<NAME>__URL`."
    )
    prefix: str = Field(
        "veille_", pattern=r"\A[a-z_][a-z0-9_]{0,40}\z", description="The names of the tables begin so."
    )
    db_schema: str = Field(
        "", pattern=r"\A[A-Za-z0-9_]{0,60}\z", description="The schema of the tables; it must exist."
    )


class SqlSink(Sink):
    """Keeps two tables; one transaction per delivery."""

    Config = SqlConfig
    config: SqlConfig

    def __init__(self, config: SinkConfig, means: Means) -> None:
        super().__init__(config, means)
        self._tables = Tables(engine_of(self.address), self.config.prefix, self.config.db_schema or None)

    @property
    def address(self) -> str:
        """The address of the database."""
        return self.config.url.get_secret_value()

    def deliver(self, parcels: Sequence[Parcel]) -> int:
        return self._asked(lambda: self._tables.put(parcels)) if parcels else 0

    def forget(self, dossier_id: str, document_ids: Iterable[str]) -> Recall:  # noqa: ARG002 - a row names its dossier
        """Delete the rows of the dossier."""
        self._asked(lambda: self._tables.forget(dossier_id))
        return Recall.GONE

    def _asked(self, act: Callable[[], _Result]) -> _Result:
        from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415 - an extra

        try:
            self._tables.make()
            return act()
        except SQLAlchemyError as error:
            self._tables.doubt()
            # The driver's own words: those of SQLAlchemy repeat the statement with all its values.
            said = " ".join(str(getattr(error, "orig", None) or type(error).__name__).split())[:300]
            raise SinkError(
                f"The database did not take the changes ({said}); they will be sent again. If it is about rights or "
                "tables, correct that and run `veille deliver --now`.",
                code="sink.sql",
            ) from error
