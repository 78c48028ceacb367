"""What was deleted is restored as it may be today, and deleted for good in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from veille.core.models import Scope
from veille.core.report.trash import TRASH_MS
from veille.errors import NotFoundError
from veille.services.watching.trash import purge_expired
from watching import FAST, Watch
from world import Site

TEXT = "A bridge across the harbour is painted again, and nobody knows in which colour it will be. " * 4


def test_a_source_comes_back_with_its_documents_and_goes_on(site: Site, tmp_path: Path) -> None:
    site.article("/a", "A", TEXT)
    with Watch(site, tmp_path) as watch:
        source = watch.add("/a")
        watch.run()
        watch.app.sources.delete(watch.dossier_id, source.id)
        assert (watch.found("bridge"), watch.app.run(Scope())) == ([], [])
        assert watch.app.trash.restore(watch.dossier_id, source.id).enabled
        assert watch.found("bridge") == ["/a"]
        site.article("/a", "A", TEXT + "It is blue.")
        watch.turn()
        assert watch.found("blue") == ["/a"]


def test_what_may_not_be_watched_any_more_comes_back_paused_and_says_why(site: Site, tmp_path: Path) -> None:
    with Watch(site, tmp_path) as watch:
        source = watch.add("/a")
        watch.app.sources.delete(watch.dossier_id, source.id)
    with Watch(site, tmp_path, fetch=FAST.model_copy(update={"allow_networks": ()})) as watch:
        restored = watch.app.trash.restore(watch.dossier_id, source.id)
        assert not restored.enabled
        (found,) = watch.app.sources.all(watch.dossier_id)
        assert (found.enabled, bool(found.error_code)) == (False, True)


def test_after_seven_days_it_is_gone_for_good(site: Site, tmp_path: Path) -> None:
    with Watch(site, tmp_path) as watch:
        source = watch.add("/a")
        watch.app.sources.delete(watch.dossier_id, source.id)
        (trashed,) = watch.app.trash.all(watch.dossier_id)
        assert purge_expired(watch.app.dossiers, trashed.trashed_at + TRASH_MS) == 0
        assert purge_expired(watch.app.dossiers, trashed.trashed_at + TRASH_MS + 1) == 1
        with pytest.raises(NotFoundError):
            watch.app.trash.restore(watch.dossier_id, source.id)


def test_the_purge_is_a_duty_of_one_worker(site: Site, tmp_path: Path) -> None:
    with Watch(site, tmp_path) as watch:
        source = watch.add("/a")
        watch.app.sources.delete(watch.dossier_id, source.id)
        mending = watch.app.mending
        assert mending.is_purge_due()
        assert mending.purge_if_due() == 0, "the first call only starts the interval"
        watch.now += TRASH_MS + 1
        assert mending.purge_if_due() == 1
        assert not mending.is_purge_due()
