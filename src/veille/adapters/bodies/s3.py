"""S3, or what speaks like it, as a place for bodies: `s3://bucket/prefix`, one object per segment or archive.

Keys come from the environment or the role of the machine, as obstore finds them; they are no settings, and never shown.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Final

from veille.adapters.bodies import checked, is_name, missing
from veille.errors import ConfigError, SettingError, StoreError
from veille.ports.bodies import BodyFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from obstore.store import ClientConfig, RetryConfig, S3Store

    from veille.settings import BodySettings

#: Of one request; a segment of 16 MB has to be through in this time.
_REQUEST: Final = timedelta(seconds=60)
_CONNECT: Final = timedelta(seconds=5)
#: How long an answer that says "later" is asked for again.
_PATIENCE: Final = timedelta(seconds=20)
_RETRIES: Final = 3
_SAID: Final = 200


class _BeyondError(Exception):
    """The object ends before the span begins."""


class S3Bodies:
    """The port `Bodies`."""

    def __init__(self, place: S3Place, prefix: str) -> None:
        self._place = place
        self._prefix = prefix
        self.where = f"s3://{place.bucket}/{prefix}"

    def put(self, name: str, data: bytes) -> None:
        import obstore  # noqa: PLC0415 - an extra

        with self._place.telling():
            obstore.put(self._place.store, self._path(name), data)

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        import obstore  # noqa: PLC0415 - likewise

        path = self._path(name)
        try:
            with self._place.telling():
                if length is None:
                    return bytes(obstore.get(self._place.store, path).bytes())[start:]
                return bytes(obstore.get_range(self._place.store, path, start=start, length=length))
        except FileNotFoundError as error:
            raise missing(name, self.where) from error
        except _BeyondError:
            return b""

    def names(self) -> Iterator[BodyFile]:
        import obstore  # noqa: PLC0415 - likewise

        with self._place.telling():
            for page in obstore.list(self._place.store, self._prefix, chunk_size=1000):
                for one in page:
                    name = one["path"].rpartition("/")[2]
                    if is_name(name):
                        at = round(one["last_modified"].timestamp() * 1000)
                        yield BodyFile(name=name, bytes=one["size"], written_at=at)

    def delete(self, name: str) -> None:
        import obstore  # noqa: PLC0415 - likewise

        with suppress(FileNotFoundError), self._place.telling():
            obstore.delete(self._place.store, self._path(name))

    def clear(self) -> None:
        for one in list(self.names()):
            self.delete(one.name)

    def _path(self, name: str) -> str:
        return f"{self._prefix}/{checked(name, self.where)}"


class S3Place:
    """The port `BodyPlace`."""

    def __init__(self, settings: BodySettings, setting: str) -> None:
        self.name = settings.place
        self.bucket, _, prefix = settings.place.removeprefix("s3://").partition("/")
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        self._settings = settings
        self._setting = setting

    @cached_property
    def store(self) -> S3Store:
        """The bucket; nothing is asked of it yet."""
        try:
            from obstore.store import S3Store  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise ConfigError("Bodies in S3 need an extra: pip install 'veille[s3]'.", code="needs_extra") from error
        client: ClientConfig = {
            "timeout": _REQUEST,
            "connect_timeout": _CONNECT,
            "allow_http": self._settings.endpoint.startswith("http://"),
        }
        retry: RetryConfig = {"max_retries": _RETRIES, "retry_timeout": _PATIENCE}
        own = {name: value for name in ("endpoint", "region") if (value := getattr(self._settings, name))}
        return S3Store(self.bucket, client_options=client, retry_config=retry, **own)

    def of(self, dossier_id: str) -> S3Bodies:
        return S3Bodies(self, f"{self._prefix}{dossier_id}")

    def check(self) -> None:
        probe = f"{self._prefix}veille-check"
        try:
            import obstore  # noqa: PLC0415 - an extra

            with self.telling():
                obstore.put(self.store, probe, b"veille can write here\n")
                obstore.delete(self.store, probe)
        except StoreError as error:
            raise SettingError(f"{self._setting}: {error}", code="bodies.bad_place") from error

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Failures as ours; FileNotFoundError if there is no such object, _BeyondError if it ends before a span."""
        from obstore.exceptions import BaseError  # noqa: PLC0415 - an extra

        try:
            yield
        except (BaseError, OSError, ValueError) as error:
            said = " ".join(str(error).partition("Debug source")[0].split())
            if isinstance(error, FileNotFoundError) and "NoSuchBucket" not in said:
                raise FileNotFoundError(self.name) from error
            if "InvalidRange" in said:
                raise _BeyondError from error
            raise StoreError(
                f"{self.name} does not answer as it should ({said[:_SAID]}): check the bucket, its "
                "address and the keys in the environment.",
                code="bodies.unreachable",
            ) from error
