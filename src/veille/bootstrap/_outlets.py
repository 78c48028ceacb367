"""Wires the outputs: sinks, each with its own sender; embedders; export files."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from veille.adapters.exports import replaced
from veille.adapters.sender import DoorSender
from veille.configuration import problem_of
from veille.errors import ConfigError, SettingError
from veille.ports import Embedder, Export, Means, Sink
from veille.registry import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import IO

    from veille.core.outgoing.export_record import Exported
    from veille.ports import Clock, Sender
    from veille.settings import Settings

SINKS = "veille.adapters.sinks"
EXPORTS = "veille.adapters.exports"
EMBEDDERS = "veille.adapters.embedders"


class Outlets:
    """Creates sinks, and the senders that they and embedders use."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._senders: list[Sender] = []

    def sinks(self) -> dict[str, Sink]:
        """The sinks of the settings."""
        named = dict(self._settings.sinks)
        if self._settings.buffer_dir is not None:
            named.setdefault("buffer", {"kind": "buffer", "folder": self._settings.buffer_dir})
        return {name: self._sink(name, dict(options)) for name, options in named.items()}

    def to_be_told(self, sinks: Mapping[str, Sink]) -> dict[str, Sink]:
        """The sinks that a deletion tells: these, and the buffer in the data folder, as the demo makes one."""
        from veille.adapters.sinks.buffer import BufferSink  # noqa: PLC0415 - seldom needed

        folder = self._settings.data / "buffer"
        known = {one.config.folder.resolve() for one in sinks.values() if isinstance(one, BufferSink)}
        if not folder.is_dir() or folder.resolve() in known:
            return dict(sinks)
        name = str(folder) if "buffer" in sinks else "buffer"
        return {**sinks, name: self._sink(name, {"kind": "buffer", "folder": folder})}

    def close(self) -> None:
        for sender in self._senders:
            sender.close()

    def _sink(self, name: str, options: dict[str, object]) -> Sink:
        """The sink with its own sender, so that sinks do not delay each other."""
        sender = self.sender()
        means = Means(sender=sender, clock=self._clock, embedder=partial(make_embedder, sender))
        try:
            kind = sink_kind(name, options)
            options.pop("kind", None)
            return kind(kind.Config.model_validate(options), means)
        except ValidationError as error:
            key, problem = problem_of(error, kind.Config)
            place = self._settings.place("sinks", name, *key)
            raise SettingError(f"{place}{problem}", code="bad_option") from error
        except ConfigError as error:
            raise SettingError(f"{self._settings.place('sinks', name)}: {error}", code=error.code) from error

    def sender(self) -> Sender:
        """A new sender; `close` closes it."""
        self._senders.append(DoorSender(self._settings.fetch, self._clock))
        return self._senders[-1]


def sink_kind(name: str, options: Mapping[str, object]) -> type[Sink]:
    """The class of the sink of that name and options."""
    return load(SINKS, str(options.get("kind", name)), Sink)


def make_embedder(sender: Sender, options: Mapping[str, object]) -> Embedder:
    """The embedder of the `kind` in the options; it makes its requests with this sender."""
    given = dict(options)
    kind = load(EMBEDDERS, str(given.pop("kind", "")), Embedder)
    try:
        return kind(kind.Config.model_validate(given), sender)
    except ValidationError as error:
        key, problem = problem_of(error, kind.Config)
        raise ConfigError(f"{'.'.join(('embedder', *key))}{problem}", code="bad_option") from error


def write_export(form: str, out: Path | IO[bytes], pages: Iterable[Sequence[Exported]]) -> int:
    """Write documents or changes in that format; returns their number. A file appears only when it is complete."""
    kind = load(EXPORTS, form, Export)
    with replaced(out) if isinstance(out, Path) else nullcontext(out) as file:
        written = 0
        export = kind(file)
        for page in pages:
            export.write(page)
            written += len(page)
        export.finish()
    return written
