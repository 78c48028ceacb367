"""Two tables of a PostgreSQL database: every change, and every document as it is now.

The same as [`sql`](#sql), for an address as PostgreSQL itself writes it, with the driver psycopg 3. Needs the extras
`sql` and `postgres`.
"""

from __future__ import annotations

from pydantic import Field, SecretStr

from veille.adapters.sinks.sql import SqlConfig, SqlSink

_SCHEMES = ("postgresql://", "postgres://")


class PostgresConfig(SqlConfig):
    """Options of the tables."""

    url: SecretStr = Field(
        description="The database: `postgresql://user:password@host/name`; better set by variable, "
        "`VEILLE_SINKS__<NAME>__URL`."
    )


class PostgresSink(SqlSink):
    """Keeps two tables of PostgreSQL."""

    Config = PostgresConfig
    config: PostgresConfig

    @property
    def address(self) -> str:
        written = self.config.url.get_secret_value()
        for scheme in _SCHEMES:
            if written.startswith(scheme):
                return f"postgresql+psycopg://{written.removeprefix(scheme)}"
        return written
