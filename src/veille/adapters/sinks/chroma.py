"""The chunks of every current document in a [Chroma](https://www.trychroma.com) collection, for retrieval.

A record has the id of its chunk, its text as document, and as metadata `document_id` and the other fields of
`veille chunks --json` that are known; `metadata`, `tags` and `facts` add or remove fields. Of a changed document only
chunks whose `content_hash` is new are embedded and written; first the new ones are written, then the old ones deleted.
So a reader never misses unchanged text, and a repeat after a crash completes the delivery. If only a fact such as the
title, the author, the version, the date of modification or the number of chunks changed, only the metadata is written.
`crawl_timestamp` and `content_length` of a record are those of the revision that introduced its text.

Chroma runs inside veille on a `folder`, one program at a time, or is a server at a `url`. It is never allowed to
download a model, or to send telemetry. Needs the extra `chroma`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import Field, SecretStr, field_validator, model_validator

from veille.adapters.sinks._chroma_client import ServerClient, client_of_folder
from veille.adapters.sinks._chroma_records import OF_DOCUMENT, Fact, Wording, is_news, metadata
from veille.core.chunk.chunks import DEFAULT, ChunkOptions, chunks
from veille.core.models import Change, Json
from veille.core.records import Chunk, Parcel, Revision
from veille.errors import SinkError
from veille.failpoints import failpoint
from veille.ports import Embedder, Means, Recall, Sink, SinkConfig

#: How many chunks are embedded and written at once.
BATCH = 64
#: The key in a collection's metadata that names the embedder of its vectors.
EMBEDDER_KEY = "veille:embedder"

_Item = TypeVar("_Item")


class ChromaConfig(SinkConfig):
    """Options of the sink; either `folder` or `url` is given."""

    folder: Path | None = Field(None, description="The folder of a Chroma inside veille.")
    url: str = Field(
        "",
        pattern=r"^(?:https?://\S+)?$",
        description="The address of a Chroma server, such as http://127.0.0.1:8000; it may be private.",
    )
    token: SecretStr | None = Field(None, description="Sent to the server as a bearer token.")
    tenant: str = Field("default_tenant", description="The tenant on the server.")
    database: str = Field("default_database", description="The database on the server.")
    timeout_s: float = Field(30, gt=0, description="Longest wait for the server, or for others to leave the folder.")
    collection: str = Field(
        "veille-{dossier}",
        pattern=r"^(?:[a-zA-Z0-9._-]|\{dossier\})+$",
        description="The name of the collection; `{dossier}` stands for the id of the dossier.",
    )
    embedder: dict[str, Any] = Field(
        {"kind": "multilingual"}, description="Makes the vectors: the `kind` and options of an embedder, or its kind."
    )
    chunk_size: int = Field(DEFAULT.size, gt=0, description="Words of a chunk at most.")
    chunk_overlap: int = Field(DEFAULT.overlap, ge=0, description="Words that a chunk repeats of the one before.")
    tags: tuple[str, ...] = Field((), description="Added to the tags of every record.")
    metadata: tuple[str, ...] = Field(
        OF_DOCUMENT,
        description=(
            "What a record says of its document; beyond the default `domain`, `content_length`, `authors`, `summary` "
            "and whatever else `veille show --json` has in `meta`. What tells chunks apart is always there."
        ),
    )
    facts: dict[str, Fact] = Field(
        default_factory=dict, description="Said by every record, such as `department` or `confidentiality`."
    )

    @field_validator("embedder", mode="before")
    @classmethod
    def _spelled_out(cls, value: object) -> object:
        return {"kind": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if (self.folder is None) == (not self.url):
            raise ValueError("give either `folder` or `url`")
        return self


class ChromaSink(Sink):
    """Keeps collections in sync with the current documents."""

    Config = ChromaConfig
    config: ChromaConfig
    # Embedding is slow, and the lease of a sink is limited.
    batch = 100

    def __init__(self, config: SinkConfig, means: Means) -> None:
        super().__init__(config, means)
        options = self.config
        self.is_apart = "{dossier}" in options.collection
        self._cut = ChunkOptions(
            size=options.chunk_size, overlap=options.chunk_overlap, least=min(DEFAULT.least, options.chunk_size // 4)
        )
        self._wording = Wording(names=options.metadata, tags=options.tags, facts=options.facts)
        self._embedder = means.embedder(options.embedder)
        self._server = ServerClient(
            options.url,
            token=options.token.get_secret_value() if options.token else "",
            home=(options.tenant, options.database),
            sender=means.sender,
            timeout_s=options.timeout_s,
        )

    def deliver(self, parcels: Sequence[Parcel]) -> int:
        latest: dict[str, dict[str, Parcel]] = {}
        for parcel in parcels:
            name = self.config.collection.replace("{dossier}", parcel.event.dossier_id)
            documents = latest.setdefault(name, {})
            # Only the last change of a document counts, in order: another document may have taken over its address.
            documents.pop(parcel.event.document_id, None)
            documents[parcel.event.document_id] = parcel
        if not latest:
            return 0
        with self._client() as client:
            return sum(
                self._place(client, name).hold(
                    [(parcel.revision, self._chunks(parcel)) for parcel in documents.values()]
                )
                for name, documents in latest.items()
            )

    def forget(self, dossier_id: str, document_ids: Iterable[str]) -> Recall:
        """Delete the records of the dossier; of a collection of its own, all."""
        name = self.config.collection.replace("{dossier}", dossier_id)
        with self._client() as client:
            if name not in {one.name for one in client.list_collections()}:
                return Recall.GONE
            if name != self.config.collection:
                client.delete_collection(name)
            else:
                place = self._place(client, name)
                for batch in _batches(list(document_ids)):
                    place.drop(batch)
        return Recall.GONE

    @contextmanager
    def _client(self) -> Iterator[Any]:
        options = self.config
        folder = options.folder
        try:
            with client_of_folder(folder, options.timeout_s) if folder else self._server.opened() as client:
                yield client
        except SinkError:
            raise
        except Exception as error:  # Chroma, its database and its HTTP library have no common base exception
            raise SinkError(
                f"Chroma at {folder or options.url} refused ({type(error).__name__}: {error}); "
                "check that it runs and has room. It will be tried again, or with `veille deliver --now`.",
                code="sink.chroma",
            ) from error

    def _place(self, client: Any, name: str) -> _Place:
        collection = client.get_or_create_collection(
            name,
            # Without this Chroma would download a model for a query.
            embedding_function=None,
            metadata={EMBEDDER_KEY: self._embedder.name},
            configuration={"hnsw": {"space": "cosine"}},
        )
        made_by = (collection.metadata or {}).get(EMBEDDER_KEY, self._embedder.name)
        if made_by != self._embedder.name:
            raise SinkError(
                f"The vectors in the collection {name} are of {made_by}, not of {self._embedder.name}, and cannot be "
                "compared; name another `collection`, or go back to that embedder.",
                code="sink.other_embedder",
            )
        return _Place(collection, self._embedder, self._wording)

    def _chunks(self, parcel: Parcel) -> list[Chunk]:
        return [] if parcel.event.change is Change.REMOVED else chunks(parcel.revision, self._cut)


class _Place:
    """One collection."""

    def __init__(self, collection: Any, embedder: Embedder, wording: Wording) -> None:
        self._collection = collection
        self._embedder = embedder
        self._wording = wording

    def hold(self, documents: Sequence[tuple[Revision, Sequence[Chunk]]]) -> int:
        """Make these the only records of these documents; returns how many documents that changed."""
        held = self._held([revision.document_id for revision, _ in documents])
        # If documents share an address, the last one has it.
        pieces = {chunk.id: (chunk, revision) for revision, found in documents for chunk in found}
        wanted = {key: metadata(chunk, revision, self._wording) for key, (chunk, revision) in pieces.items()}
        new = [key for key in wanted if held.get(key, {}).get("content_hash") != wanted[key]["content_hash"]]
        known = self._vectors_of(held, {wanted[key]["content_hash"] for key in new})
        self._write([pieces[key][0] for key in new], wanted, known)
        restated = [key for key in sorted(held.keys() & wanted.keys() - set(new)) if is_news(wanted[key], held[key])]
        for batch in _batches(restated):
            self._collection.update(ids=batch, metadatas=[wanted[key] for key in batch])
        failpoint("after_chunks_written")
        gone = [key for key in held if key not in wanted]
        for batch in _batches(gone):
            self._collection.delete(ids=batch)
        return len({wanted[key]["document_id"] for key in new + restated} | {held[key]["document_id"] for key in gone})

    def drop(self, document_ids: Sequence[str]) -> None:
        """Delete the records of these documents."""
        self._collection.delete(where={"document_id": {"$in": list(document_ids)}})

    def _held(self, document_ids: Sequence[str]) -> dict[str, Json]:
        """The metadata of the records of these documents."""
        held: dict[str, Json] = {}
        for batch in _batches(document_ids):
            found = self._collection.get(where={"document_id": {"$in": batch}}, include=["metadatas"])
            held |= zip(found["ids"], found["metadatas"], strict=True)
        return held

    def _vectors_of(self, held: Mapping[str, Json], hashes: set[str]) -> dict[str, Any]:
        """The stored vectors of known texts, perhaps of another chunk: a text that only moved is not embedded again.

        All at once, before anything is written: writing may replace the chunk they belong to.
        """
        keys = {held[key]["content_hash"]: key for key in held if held[key]["content_hash"] in hashes}
        vectors: dict[str, Any] = {}
        for batch in _batches(list(keys.values())):
            found = self._collection.get(ids=batch, include=["embeddings"])
            by_key = dict(zip(found["ids"], found["embeddings"], strict=True))
            vectors |= {held[key]["content_hash"]: by_key[key] for key in batch}
        return vectors

    def _write(self, pieces: Sequence[Chunk], wanted: Mapping[str, Json], vectors: Mapping[str, Any]) -> None:
        for batch in _batches(pieces):
            unknown = {chunk.content_hash: chunk.text for chunk in batch if chunk.content_hash not in vectors}
            made = dict(zip(unknown, self._embedder.embed(list(unknown.values())), strict=True)) if unknown else {}
            known = {**vectors, **made}
            self._collection.upsert(
                ids=[chunk.id for chunk in batch],
                documents=[chunk.text for chunk in batch],
                metadatas=[wanted[chunk.id] for chunk in batch],
                embeddings=[known[chunk.content_hash] for chunk in batch],
            )


def _batches(items: Sequence[_Item]) -> Iterator[list[_Item]]:
    for start in range(0, len(items), BATCH):
        yield list(items[start : start + BATCH])
