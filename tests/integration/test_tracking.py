"""Which query parameters count is the operator's to say; workers, their children and the store go by one table."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents import case_bytes
from veille.core.urls import Tracking, use_tracking
from veille.errors import ConfigError, NotFoundError
from veille.settings import load_settings
from watching import Watch
from world import Page, Site


@pytest.mark.covers("R-081")
@pytest.mark.parametrize("add", [(), ("from_*",)])
def test_a_parameter_that_does_not_count_makes_no_other_document(
    site: Site, tmp_path: Path, add: tuple[str, ...]
) -> None:
    site["/paper.pdf?from_mail=1"] = Page(case_bytes("report-pdf"), type="application/pdf")
    with Watch(site, tmp_path, tracking={"add": add}) as watch:
        watch.add("/paper.pdf?from_mail=1", "page")
        watch.run()
        with watch.app.dossiers.open(watch.dossier_id) as store:
            # The child that read it made its key, and this process looks for it.
            assert store.records.find(f"{site.url}/paper.pdf?from_mail=1")
            if add:
                assert store.records.find(f"{site.url}/paper.pdf?from_elsewhere=2")
            else:
                with pytest.raises(NotFoundError):
                    store.records.find(f"{site.url}/paper.pdf?from_elsewhere=2")
        if add:
            with pytest.raises(ConfigError) as refused:
                watch.add("/paper.pdf", "page")
            assert refused.value.code == "duplicate_source"
        else:
            watch.add("/paper.pdf", "page")
    use_tracking(Tracking())


@pytest.mark.parametrize("wrong", ["*", "", "a b", "a=b", "a*b", "utm_**"])
def test_what_is_no_name_of_a_parameter_is_refused(wrong: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_settings(tracking={"add": [wrong]})
    assert refused.value.code == "bad_setting"
