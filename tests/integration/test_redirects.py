"""Where redirects lead, how far they are followed, and which of them change the address of a source."""

from __future__ import annotations

from pathlib import Path

import pytest

from samples import STORY
from veille.core.models import Change
from watching import Watch, told
from world import Page, Site


@pytest.mark.covers("R-169")
@pytest.mark.parametrize(("status", "address"), [(301, "/new"), (308, "/new"), (302, "/old"), (307, "/old")])
def test_a_permanent_redirect_changes_the_address_and_a_temporary_one_is_followed_at_every_check(
    status: int, address: str, site: Site, tmp_path: Path
) -> None:
    site["/old"] = Page(b"", status=status, headers={"Location": "/new"})
    site.article("/new", "The ferry", STORY)
    with Watch(site, tmp_path) as watch:
        watch.add("/old", kind="page")
        assert told(watch.run()) == {Change.NEW: 1}
        for _ in range(3):
            watch.turn()
        (source,) = watch.app.sources.all(watch.dossier_id)
        assert source.url == site.url + address
        assert len(watch.app.repairs.all(watch.dossier_id)) == int(address == "/new")


@pytest.mark.covers("R-058", "R-229")
@pytest.mark.parametrize(("redirects", "changes"), [(5, {Change.NEW: 1}), (6, {Change.ERROR: 1})])
def test_at_most_five_redirects_are_followed(
    redirects: int, changes: dict[Change, int], site: Site, tmp_path: Path
) -> None:
    for number in range(redirects):
        site[f"/{number}"] = Page(b"", status=302, headers={"Location": f"/{number + 1}"})
    site.article(f"/{redirects}", "The ferry", STORY)
    with Watch(site, tmp_path) as watch:
        watch.add("/0", kind="page")
        assert told(watch.run()) == changes
