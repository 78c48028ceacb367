"""The vocabulary that gives furniture away: words in class names and in short texts, as bit masks.

Names are matched word by word (`post-content`, `postContent`, `post_content` are two words each), because "ad" inside
"header" means nothing. Every word here is a clue for the block model, never a verdict of its own.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_HINTS: Final = {
    "content": "article articlebody content post posts entry story body text main detail details description page blog copy "
    "prose paragraph richtext rte markdown documentation docs wiki",
    "nav": "nav navigation menu menus submenu breadcrumb breadcrumbs crumb crumbs pagination pager toc tabs tab tablist links "
    "navbar topbar megamenu sitemap jump skip",
    "edge": "footer header masthead banner copyright legal colophon topbar bottom foot head",
    "side": "sidebar aside rail widget widgets secondary complementary side column left right",
    "related": "related recommend recommended recommendation recommendations more also popular trending latest teaser teasers "
    "upsell similar next previous prev read recirc recirculation suggested recent most trend onward further",
    "share": "share sharing social follow facebook twitter pinterest linkedin whatsapp sharedaddy addtoany addthis",
    "comment": "comment comments disqus reply replies respond commentlist discussion livefyre remark",
    "ad": "ad ads advert advertisement advertising sponsor sponsored promo promotion dfp outbrain taboola adsense commercial "
    "affiliate adslot",
    "overlay": "cookie cookies consent gdpr modal popup overlay toast dialog offcanvas drawer lightbox onetrust flyout",
    "signup": "newsletter subscribe subscription signup login signin register paywall form account donate registration email",
    "meta": "author authors byline date time meta metadata tag tags category categories info credit credits published posted "
    "avatar user username profile stats stat count counts timestamp datetime dateline kicker eyebrow bio",
    "media": "caption figure gallery slide slider slideshow carousel image images photo photos media video player swiper thumb "
    "thumbnail wp-caption figcaption",
    "product": "product products price prices pricing sku cart buy shop add variant variants stock shipping checkout wishlist "
    "swatch quantity atc pdp",
    "item": "item items card cards grid list listing listings result results tile tiles collection catalog row feed cell",
    "forum": "message messages thread threads topic topics answer answers question questions post-body postbody cooked bbcode "
    "forum reply postcontent usertext usercontent messagebody quote signature",
    "veil": "hidden sr only screen reader visually visuallyhidden collapse collapsed tooltip dropdown noprint print hide invisible",
    "title": "title headline heading hero lead intro subtitle deck standfirst summary lede dek abstract teaser",
    "review": "review reviews rating ratings testimonial testimonials feedback stars bazaarvoice yotpo",
    "code": "highlight code syntax codehilite pre console prism hljs snippet",
    "control": "filter filters facet facets sort refine search toolbar action actions control controls button buttons btn cta "
    "select options option",
    "notice": "notice alert warning disclaimer note notes admonition infobox reference references footnote footnotes",
}
#: The kinds of hint, in bit order.
HINTS: Final = tuple(_HINTS)
_HINT_OF: Final = {}
for _bit, _names in enumerate(_HINTS.values()):
    for _name in _names.split():
        _HINT_OF[_name] = _HINT_OF.get(_name, 0) | 1 << _bit

_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LETTERS: Final = re.compile(r"[a-z]+")


@lru_cache(maxsize=65536)
def hint(name: str) -> int:
    """The bits of every hint word in one class name or id."""
    mask = 0
    for word in _LETTERS.findall(_CAMEL.sub(" ", name[:80]).lower()):
        mask |= _HINT_OF.get(word, 0)
    return mask


def hints(names: str) -> int:
    """The bits of a whole class attribute."""
    mask = 0
    for name in names.split():
        mask |= hint(name)
    return mask


# Seven languages, because most furniture words of the web's larger languages fall into few groups.
_CLUES: Final = {
    "share": "share tweet facebook twitter whatsapp pinterest linkedin instagram follow teilen partager compartir condividi "
    "partilhar delen folgen",
    "legal": "cookie cookies privacy copyright © rights reserved terms disclaimer impressum datenschutz confidentialité "
    "privacidad derechos mentions",
    "signup": "subscribe newsletter signup login log sign register account subscribers subscription donate abonnieren anmelden "
    "abonnez inscrivez suscríbete iscriviti e-mail inbox password",
    "more": "more related also recommended trending popular latest learn read view explore discover see mehr weitere auch "
    "aussi lire également también más leggi altro anche mais leia artikel",
    "talk": "comment comments reply replies kommentar kommentare commentaires comentarios commenti comentários antworten "
    "respond quote report upvote",
    "byline": "by written author posted published updated editor reporter von veröffentlicht aktualisiert par publié por publicado "
    "autor autore staff min ago",
    "credit": "photo image credit getty reuters courtesy photograph photographer foto bild picture pictured video watch ap afp",
    "buy": "cart buy wishlist stock shipping quantity price sale sold checkout add bag kaufen warenkorb lieferung panier carrito "
    "delivery returns sku qty",
    "ad": "advertisement advertising sponsored anzeige werbung publicité publicidad pubblicità ad ads affiliate commission",
    "page": "filter sort results next previous prev page pages showing clear categories category tags menu search home back top "
    "skip navigation toggle close open weiter zurück suivant précédent",
    "rating": "rating ratings review reviews stars star helpful verified customer customers bewertung avis",
    "ref": "references reference sources source bibliography citations citation footnotes doi isbn et al retrieved accessed pmid "
    "quellen literatur références loading notes contents disclosure",
    "stop": "the of and to in a is that for it was on are as with his they at be this from have or had not but what all were "
    "when we there can an your which their if will about how up out them then she many some so these would him has two her "
    "der die und das ist nicht ein eine zu den mit von auf für im dem sich des auch es sie er war wird bei als an wie aus "
    "le la les de des et est un une du en que qui dans pour pas sur au avec ce il sont plus par se ne "
    "el los las y del que en un una es por con para no su al lo como más pero sus "
    "il di che è non per un una sono con si da come le dei del della "
    "o os as do da em um uma não com para por mais se na no dos "
    "het een van en is dat op te zijn met voor niet aan er i och att det som en på av för den till med",
}
#: The kinds of clue in a text, in bit order; the last counts function words.
CLUES: Final = tuple(_CLUES)
STOP: Final = 1 << CLUES.index("stop")
CLUE_OF: Final[dict[str, int]] = {}
for _bit, _names in enumerate(_CLUES.values()):
    for _name in _names.split():
        CLUE_OF[_name] = CLUE_OF.get(_name, 0) | 1 << _bit
