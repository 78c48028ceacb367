"""The vocabulary of page furniture: words in class names and ids, as bit masks.

Names are matched word by word (`post-content`, `postContent`, `post_content` are two words each), because "ad" inside
"header" means nothing. Every word is a hint for the block model, never a decision alone. Words of the texts
are left out on purpose: lists in seven languages gained less than the noise and would limit us to those languages.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_HINTS: Final = {
    "content": "article articlebody content post posts entry story body text main detail details description "
    "page blog copy prose paragraph richtext rte markdown documentation docs wiki",
    "nav": "nav navigation menu menus submenu breadcrumb breadcrumbs crumb crumbs pagination pager toc tabs "
    "tab tablist links navbar topbar megamenu sitemap jump skip",
    "edge": "footer header masthead banner copyright legal colophon topbar bottom foot head",
    "side": "sidebar aside rail widget widgets secondary complementary side column left right",
    "related": "related recommend recommended recommendation recommendations more also popular trending latest "
    "teaser teasers upsell similar next previous prev read recirc recirculation suggested recent most "
    "trend onward further",
    "share": "share sharing social follow facebook twitter pinterest linkedin whatsapp sharedaddy addtoany addthis",
    "comment": "comment comments disqus reply replies respond commentlist discussion livefyre remark",
    "ad": "ad ads advert advertisement advertising sponsor sponsored promo promotion dfp outbrain taboola "
    "adsense commercial affiliate adslot",
    "overlay": "cookie cookies consent gdpr modal popup overlay toast dialog offcanvas drawer lightbox onetrust flyout",
    "signup": "newsletter subscribe subscription signup login signin register paywall form account donate "
    "registration email",
    "meta": "author authors byline date time meta metadata tag tags category categories info credit credits "
    "published posted avatar user username profile stats stat count counts timestamp datetime "
    "dateline kicker eyebrow bio",
    "media": "caption figure gallery slide slider slideshow carousel image images photo photos media video "
    "player swiper thumb thumbnail wp-caption figcaption",
    "product": "product products price prices pricing sku cart buy shop add variant variants stock shipping "
    "checkout wishlist swatch quantity atc pdp",
    "item": "item items card cards grid list listing listings result results tile tiles collection catalog "
    "row feed cell",
    "forum": "message messages thread threads topic topics answer answers question questions post-body "
    "postbody cooked bbcode forum reply postcontent usertext usercontent messagebody quote signature",
    "veil": "hidden sr only screen reader visually visuallyhidden collapse collapsed tooltip dropdown noprint "
    "print hide invisible",
    "title": "title headline heading hero lead intro subtitle deck standfirst summary lede dek abstract teaser",
    "review": "review reviews rating ratings testimonial testimonials feedback stars bazaarvoice yotpo",
    "code": "highlight code syntax codehilite pre console prism hljs snippet",
    "control": "filter filters facet facets sort refine search toolbar action actions control controls button "
    "buttons btn cta select options option",
    "notice": "notice alert warning disclaimer note notes admonition infobox reference references footnote footnotes",
    # Not for the model: what a page, or the software that generated it, explicitly separates from its content.
    "apart": "navheader navfooter sphinxsidebar role=navigation role=contentinfo role=search",
    # The same in manuals; elsewhere a page may be named after the sidebar that it has.
    "menu": "sidebar sidenav sidemenu leftnav toctree",
    # Not for the model either: what the page calls its main part, where it has no `main` element.
    "main": "role=main",
}
#: The kinds of hint, in bit order.
HINTS: Final = tuple(_HINTS)
#: The bits of each word.
HINT_WORDS: Final[dict[str, int]] = {}
for _bit, _names in enumerate(_HINTS.values()):
    for _name in _names.split():
        # The three spellings of a word that _LETTERS finds.
        for _form in (_name, _name.capitalize(), _name.upper()):
            HINT_WORDS[_form] = HINT_WORDS.get(_form, 0) | 1 << _bit

_LETTERS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


@lru_cache(maxsize=65536)
def hint(name: str) -> int:
    """The bits of every hint word in one class name or id."""
    mask = 0
    for word in _LETTERS.findall(name[:80]):
        if word in HINT_WORDS:
            mask |= HINT_WORDS[word]
    return mask


@lru_cache(maxsize=65536)
def hints(names: str) -> int:
    """The bits of a whole class attribute."""
    mask = 0
    for name in names.split():
        mask |= hint(name)
    return mask
