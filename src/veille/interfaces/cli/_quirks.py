"""`veille quirks`: lines of a page that change on every load, and so are not reported."""

from __future__ import annotations

from typing import Annotated

import typer

from veille.core.dates import iso
from veille.interfaces.cli._options import DataOption, DossierOption, JsonOption, opened, wants_json
from veille.interfaces.cli._output import print_json, print_table, talk
from veille.interfaces.cli._read import DocumentArgument, place_of


def quirks(
    document: DocumentArgument,
    *,
    forget: Annotated[bool, typer.Option("--forget", help="Forget them; the next change teaches them anew.")] = False,
    dossier: DossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the lines of a page that change on every load. Those seen on two occasions are ignored.

    To ignore more lines, set the option `ignore` of the source to patterns with * and ?; to learn none, set
    `look_twice` to false.

    Examples:
        veille quirks https://example.org/prices

        veille quirks https://example.org/prices --forget

    """
    with opened(data) as app:
        dossier_id, document_id = place_of(app, dossier, document)
        found = app.documents.quirks(dossier_id, document_id, forget=forget)
    if wants_json(as_json):
        print_json({"document_id": document_id, "quirks": found, "forgotten": forget})
        return
    rows = [(" ".join(word or "…" for word in quirk.line), quirk.proofs, iso(quirk.at)) for quirk in found]
    print_table(("Line", "Seen", "Last"), rows)
    talk().print(f"{len(found)} {'forgotten' if forget else 'known'}.")
