"""Options of pages that a browser visits: steps before they are read, and pictures of them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from pydantic import Field

from veille.core.browsing.css import is_css
from veille.core.browsing.steps import Steps
from veille.core.browsing.visit import PictureWish
from veille.core.kinds import KindConfig
from veille.core.kinds._options import Several
from veille.errors import ConfigError


class VisitConfig(KindConfig):
    """What a browser does on a page, and what it keeps of it."""

    steps: Steps = Field(
        (),
        title="Steps before it is read",
        description="What a browser does on the page first, one step per line: open: /login, accept (the consent "
        "banner), type: #user = anna, type: #password = ${secret:NAME}, choose: #size = Large, click: text=Log in, "
        "wait: .price, scroll: bottom, press: Enter (needs the extra `browser`).",
    )
    pictures: Literal["none", "page", "part"] = Field(
        "none",
        title="Keep pictures",
        description="Keep a picture with each revision: none, page (the whole page) or part (what picture_selector "
        "finds); needs the extras `browser` and `pictures`.",
    )
    picture_selector: str = Field(
        "", max_length=1000, title="Part in the picture", description="A CSS selector of the part to picture."
    )
    picture_ignore: Several = Field(
        (),
        max_length=20,
        title="Parts to cover in pictures",
        description="CSS selectors of parts that change by themselves, such as advertisements: they are covered.",
    )
    watch_picture: bool = Field(
        default=False,
        title="Report visible changes",
        description="A page that looks different is a change, even if its text is the same; needs pictures.",
    )
    picture_threshold: float = Field(
        0.5,
        ge=0,
        le=100,
        title="Smallest visible change, in percent",
        description="How much of the picture must differ, in percent, to be reported.",
    )


def picture_wish(config: VisitConfig) -> PictureWish | None:
    """The picture that the options ask for."""
    if config.pictures == "none":
        return None
    return PictureWish(
        selector=config.picture_selector if config.pictures == "part" else "", covered=config.picture_ignore
    )


def refuse_useless_visit(config: VisitConfig) -> None:
    """Raise ConfigError for options of pictures that can never work."""
    if config.pictures == "part" and not config.picture_selector:
        raise ConfigError("Name the part to picture: picture_selector=.price.", code="bad_option")
    if config.watch_picture and config.pictures == "none":
        raise ConfigError("To report visible changes, keep pictures: pictures=page or part.", code="bad_option")
    for selector in filter(None, (config.picture_selector, *config.picture_ignore)):
        if not is_css(selector):
            raise ConfigError(f"The CSS selector {selector!r} cannot be read.", code="bad_selector")
    if config.pictures != "none" and find_spec("PIL") is None:
        raise ConfigError("Pictures need an extra: pip install 'veille[pictures]'.", code="needs_extra")
