"""Actions on many sources or documents at once, and what was deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, cast

from fastapi import Form, Response

from veille.errors import ConfigError, NotFoundError, VeilleError
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.places import own_path
from veille.interfaces.web.actions.show import Showing
from veille.services.watching.bulk import MOST_CHOSEN
from veille.services.watching.trash import BroughtBack

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.core.report.trash import SetupKind
    from veille.interfaces.web.actions.show import Show
    from veille.services.watching.bulk import BulkResult

routes = Pages("bulk")

#: More than one action takes, so that the refusal says how many it takes.
_MOST_SENT = 2 * MOST_CHOSEN
#: Problems that are told in full.
_TOLD = 3
#: What can be restored beside sources, and the page on which it is then.
_SETUPS = {"rule": "rules", "channel": "channels", "search": "searches", "engine": "engines"}

Chosen = Annotated[list[Annotated[str, Form(max_length=200)]] | None, Form(max_length=_MOST_SENT)]
Back = Annotated[str, Form(max_length=2000)]
Tag = Annotated[str, Form(max_length=1000)]


@routes.post("/d/{dossier_id}/sources/check", auth=within("fetch"))
def _check(show: Showing, source: Chosen = None, back: Back = "") -> Response:
    """Check these sources now."""
    try:
        result = show.services.bulk.check(show.dossier.id, source or [])
    except ConfigError as error:
        return _refused(show, "sources", back, error)
    show.access.log("fetch_now", show.dossier.id, sources=result.done)
    return _back(show, "sources", back, _said(result, "source", "checked next"))


@routes.post("/d/{dossier_id}/sources/change", auth=within("write"))
def _change_sources(
    show: Showing,
    do: Annotated[Literal["", "pause", "resume", "tag", "untag", "move", "delete"], Form()] = "",
    source: Chosen = None,
    tag: Tag = "",
    to: Annotated[str, Form(max_length=200)] = "",
    back: Back = "",
) -> Response:
    """Pause, resume, tag, move or delete these sources."""
    bulk, here, chosen = show.services.bulk, show.dossier.id, source or []
    actions: dict[str, Callable[[], BulkResult]] = {
        "pause": lambda: bulk.enable(here, chosen, enabled=False),
        "resume": lambda: bulk.enable(here, chosen, enabled=True),
        "tag": lambda: bulk.tag(here, chosen, tag),
        "untag": lambda: bulk.tag(here, chosen, tag, is_on=False),
        "move": lambda: bulk.move(here, chosen, _target(to)),
        "delete": lambda: bulk.delete(here, chosen),
    }
    try:
        result = actions.get(do, _nothing)()
    except ConfigError as error:
        return _refused(show, "sources", back, error)
    show.access.log(f"{do}_sources", here, sources=result.done)
    said = _said(result, "source", _DONE[do])
    return _back(show, "sources", back, said, undo=result.at if do == "delete" and result.done else None)


_DONE = {
    "pause": "paused",
    "resume": "checked again",
    "tag": "tagged",
    "untag": "no longer tagged so",
    "move": "moved, with everything that came with them",
    "delete": "deleted",
}


@routes.post("/d/{dossier_id}/documents/marks", auth=within("read"))
def _mark_documents(
    show: Showing,
    do: Annotated[Literal["", "read", "unread", "keep", "unkeep"], Form()] = "",
    document: Chosen = None,
    back: Back = "",
) -> Response:
    """Mark these documents as read or unread, or keep them or not."""
    try:
        count = show.services.bulk.mark(
            show.dossier.id,
            show.user_id,
            document or [],
            read=do == "read" if do in {"read", "unread"} else None,
            keep=do == "keep" if do in {"keep", "unkeep"} else None,
        )
    except ConfigError as error:
        return _refused(show, "documents", back, error)
    words = {"read": "read", "unread": "unread", "keep": "kept", "unkeep": "no longer kept", "": "as before"}
    return _back(show, "documents", back, f"{_many(count, 'document')} now {words[do]}.")


@routes.post("/d/{dossier_id}/documents/tags", auth=within("write"))
def _tag_documents(
    show: Showing,
    do: Annotated[Literal["tag", "untag"], Form()] = "tag",
    document: Chosen = None,
    tag: Tag = "",
    back: Back = "",
) -> Response:
    """Give a tag to these documents, or take it from them."""
    try:
        result = show.services.bulk.tag_documents(show.dossier.id, document or [], tag, is_on=do == "tag")
    except ConfigError as error:
        return _refused(show, "documents", back, error)
    show.access.log(f"{do}_documents", show.dossier.id, documents=result.done)
    return _back(show, "documents", back, _said(result, "document", _DONE[do]))


@routes.get("/d/{dossier_id}/trash", auth=within("write"))
def _trash(show: Showing) -> Response:
    """What was deleted and can be restored."""
    trash, here = show.services.trash, show.dossier.id
    return show("trash.html", found=trash.all(here), setups=trash.setups(here))


@routes.post("/d/{dossier_id}/trash/restore", auth=within("write"))
def _restore(
    show: Showing,
    at: Annotated[int | None, Form(ge=0, le=2**53)] = None,
    source: Annotated[str, Form(max_length=200)] = "",
    setup: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Restore one source, one `setup` (its kind and id), or all that was deleted at one time."""
    trash, here = show.services.trash, show.dossier.id
    kind, _, setup_id = setup.partition(":")
    try:
        if at is not None:
            restored = trash.restore_batch(here, at)
        elif kind in _SETUPS:
            restored = BroughtBack(setups=(trash.restore_setup(here, cast("SetupKind", kind), setup_id),))
        else:
            restored = BroughtBack(sources=(trash.restore(here, source),))
    except NotFoundError:
        return show.go(f"{show.home}/trash", "It is not in the trash any more.")
    except ConfigError as error:
        return show.go(f"{show.home}/trash", f"Not restored: {error}")
    for one in restored.setups:
        show.access.log(f"restore_{one.kind}", here, **{one.kind: one.id})
    if restored.sources:
        show.access.log("restore_source", here, sources=[one.id for one in restored.sources][:20])
    count = len(restored.sources)
    names = [one.name for one in restored.sources] if count == 1 else []
    names += [f"“{one.name}”" for one in restored.setups]
    said = [f"{_many(count, 'source')} back."] * (count > 1) + [f"{name} is back." for name in names]
    where = "sources" if count else _SETUPS[restored.setups[0].kind]
    return show.go(f"{show.home}/{where}", " ".join(said))


@routes.post("/d/{dossier_id}/trash/empty", auth=within("write"))
def _empty(show: Showing) -> Response:
    """Delete for good all that is in the trash."""
    count = show.services.trash.empty(show.dossier.id)
    show.access.log("empty_trash", show.dossier.id, sources=count)
    return show.go(f"{show.home}/sources", f"The trash is empty: {count} deleted for good.")


def _nothing() -> BulkResult:
    raise ConfigError("Choose what to do.", code="nothing_chosen")


def _target(to: str) -> str:
    if not to:
        raise ConfigError("Choose the dossier to move them to.", code="nothing_chosen")
    return to


def _back(show: Show, where: str, back: str, said: str, *, undo: int | None = None) -> Response:
    return show.go(own_path(show, back) or f"{show.home}/{where}", said, undo=undo)


def _refused(show: Show, where: str, back: str, error: VeilleError) -> Response:
    return _back(show, where, back, f"Nothing was done. {error}")


def _many(count: int, noun: str) -> str:
    return f"1 {noun} is" if count == 1 else f"{count} {noun}s are"


def _said(result: BulkResult, noun: str, done: str) -> str:
    said = f"{_many(result.done, noun)} {done}."
    told = [f"{name}: {why}" for name, why in list(result.problems.items())[:_TOLD]]
    left = len(result.problems) - len(told)
    return " ".join([said, *told, *([f"{left} more could not be."] if left else [])])
