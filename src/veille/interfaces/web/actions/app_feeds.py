"""What reader apps change, whichever protocol they speak: feeds are added, marks are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.discover.detect import LIST
from veille.errors import ConfigError
from veille.interfaces.web.actions.errands import check_soon
from veille.interfaces.web.actions.previews import name_of
from veille.services.watching.adding import Terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.core.models import Dossier, Source
    from veille.interfaces.web.requests.calls import Call
    from veille.services.container import Services


def writing(call: Call) -> Services:
    """The services for an app that may write; an error for any other."""
    call.access.require("write")
    return call.app.on_behalf(call.access, "write")


def mark(call: Call, numbers: Sequence[int], *, read: bool | None = None, keep: bool | None = None) -> None:
    """Mark items for the user of the app; pages count anew."""
    call.services.reader_apps.mark(call.access.who.user_id, numbers, read=read, keep=keep)
    forget_counts(call)


def forget_counts(call: Call) -> None:
    """Pages count anew."""
    call.request.app.state.counters.forget(call.access.who.user_id, {one.id for one in call.access.dossiers()})


def add_feed(call: Call, url: str, folders: Sequence[str], name: str = "") -> Source:
    """Watch an address, in the dossier that one of the folders is; the other folders are its tags."""
    if not url.lower().startswith(("http://", "https://")):
        raise ConfigError("Only an address on the web can be added: https://…", code="bad_url")
    services = writing(call)
    dossier = _dossier_for(call, folders)
    seen = call.request.app.state.previews.make(call, url, dossier.id)
    found = seen.detection
    if found.kind == LIST:
        raise ConfigError("This is a list of feeds: import it on the page of sources.", code="bad_url")
    terms = Terms(name=name or name_of(found), adaptive=True)
    added = services.adding.add(dossier.id, found, b"", terms).source
    assert added is not None  # noqa: S101 - only lists have none
    call.access.log("add_source", dossier.id, source=added.id)
    for folder in folders:
        if folder != dossier.name:
            services.bulk.tag(dossier.id, [added.id], folder)
    check_soon(call, dossier.id, added)
    return added


def import_feeds(call: Call, data: bytes) -> None:
    """Watch every entry of a list; an error if none could be."""
    services = writing(call)
    dossier = _dossier_for(call, ())
    taken = services.lists.take_in(data, dossier.id, by_folder=True, makes_dossiers=False)
    for dossier_id in dict.fromkeys(one.dossier_id for one in taken):
        call.access.log("opml.import", dossier_id, feeds=sum(one.dossier_id == dossier_id for one in taken))
    refused = [one for one in taken if one.code not in {"", "duplicate_source"}]
    if refused and len(refused) == len(taken):
        raise ConfigError(f"No entry of the list can be watched: {refused[0].message}", code=refused[0].code)


def rename_labels(call: Call, labels: Sequence[str], other: str = "") -> None:
    """Give tags another name wherever the user may write, or take them away. A dossier is a folder, too, and stays."""
    services = writing(call)
    for dossier in call.access.dossiers():
        if dossier.name in {*labels, other}:
            text = f"The folder {dossier.name!r} is a dossier: rename or delete it on the pages."
            raise ConfigError(text, code="bad_tag")
    try:
        for dossier_id, tag in services.reader_apps.rename_tags(labels, other):
            call.access.log("tag.rename", dossier_id, tag=tag, to=other)
    finally:
        forget_counts(call)


def delete_feed(call: Call, dossier_id: str, source_id: str) -> None:
    """Watch it no more."""
    writing(call).sources.delete(dossier_id, source_id)
    call.access.log("delete_source", dossier_id, source=source_id)


def _dossier_for(call: Call, folders: Sequence[str]) -> Dossier:
    """The dossier that a folder is, or else the first that they may write to."""
    known = call.access.dossiers(scope="write")
    if not known:
        raise ConfigError("You have no dossier that you may add to: make one on the pages.", code="no_dossier")
    return next((one for one in known if one.name in folders), known[0])
