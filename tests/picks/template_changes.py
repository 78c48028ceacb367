"""Changes of a template, made at random on a parsed page. The picked element carries `TRUTH`."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable
from typing import Any

import lxml.html

from picks.sample_pages import Words

TRUTH = "data-truth"
Tree = Any
_REPEATED = ("li", "tr", "section", "article", "div", "p")


def target_in(tree: Tree) -> Tree:
    """The picked element; None if it is gone."""
    return next(iter(tree.xpath(f"//*[@{TRUTH}]")), None)


def _elements(tree: Tree) -> list[Tree]:
    return [one for one in tree.body.iter() if isinstance(one.tag, str) and one is not tree.body]


def _wrapped(one: Tree, tag: str, name: str) -> None:
    parent = one.getparent()
    wrapper = lxml.html.Element(tag)
    if name:
        wrapper.set("class", name)
    wrapper.tail, one.tail = one.tail, None
    parent.replace(one, wrapper)
    wrapper.append(one)


def add_wrappers(tree: Tree, chance: random.Random) -> None:
    """Wrap some blocks, among them one around the part."""
    target = target_in(tree)
    blocks = [one for one in _elements(tree) if one.tag in {"div", "article", "ul", "table", "dl", "main", "p"}]
    around = [one for one in blocks if target is not None and one in set(target.iterancestors())]
    chosen = [*chance.sample(blocks, min(3, len(blocks))), *chance.sample(around, min(1, len(around)))]
    # In an order that is the same in every run.
    for one in dict.fromkeys(chosen):
        if one.getparent() is not None and one.getparent().tag not in {"tr", "table", "ul", "ol", "dl", "tbody"}:
            _wrapped(one, chance.choice(("div", "section")), chance.choice(("", "wrap", "inner", "grid-12")))


def remove_wrappers(tree: Tree, chance: random.Random) -> None:
    """Remove divisions that are around others."""
    blocks = [one for one in _elements(tree) if one.tag in {"div", "section"} and len(one) and TRUTH not in one.attrib]
    for one in chance.sample(blocks, min(2, len(blocks))):
        one.drop_tag()


def _renamed(tree: Tree, change: Callable[[str], str], share: float, chance: random.Random) -> None:
    known: dict[str, str] = {}
    for one in _elements(tree):
        if names := one.get("class"):
            for name in names.split():
                known.setdefault(name, change(name) if chance.random() < share else name)
            one.set("class", " ".join(known[name] for name in names.split()))


def rename_classes(tree: Tree, chance: random.Random) -> None:
    """Other names for some or all of the classes."""
    prefix = chance.choice(("c-", "new-", "v2-", "site__"))
    _renamed(tree, lambda name: prefix + name[::-1], chance.choice((0.3, 0.6, 1.0)), chance)


def hash_classes(tree: Tree, chance: random.Random) -> None:
    """Classes as a build makes them: all of a hash, or with one at the end."""
    whole = chance.random() < 0.5
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"

    def hashed(name: str) -> str:
        made = "".join(chance.choice(letters) for _ in range(6)) + str(chance.randint(0, 9))
        return f"css-{made}" if whole else f"{name}__{made}"

    _renamed(tree, hashed, 1.0, chance)


def new_ids(tree: Tree, chance: random.Random) -> None:
    """Ids that are made anew for every page."""
    for one in _elements(tree):
        if one.get("id") or chance.random() < 0.1:
            one.set("id", f"{chance.choice(('el', 'ember', 'node'))}-{chance.randint(100, 99999)}")


def _item_of(target: Tree) -> Tree:
    """The repeated element that it is in."""
    for one in (target, *target.iterancestors()):
        parent = one.getparent()
        if (
            parent is not None
            and one.tag in _REPEATED
            and len(one)
            and sum(_shape(other) == _shape(one) for other in parent) > 2
        ):
            return one
    return None


def _shape(one: Tree) -> list[str]:
    return [one.tag, *(str(inner.tag) for inner in one)]


def _fresh(one: Tree, words: Words) -> Tree:
    """A copy with other texts."""
    made = copy.deepcopy(one)
    made.attrib.pop(TRUTH, None)
    for inner in made.iter():
        if isinstance(inner.tag, str):
            inner.attrib.pop(TRUTH, None)
            if inner.get("href"):
                inner.set("href", f"/new/{words.chance.randint(1, 9999)}")
            if inner.text and inner.text.strip():
                inner.text = _other(inner.text, words)
    return made


def _other(text: str, words: Words) -> str:
    if re.search(r"\d", text):
        return re.sub(r"\d", lambda _: str(words.chance.randint(0, 9)), text)
    return words.sentence() if len(text) > 40 else words.thing()


def insert_items(tree: Tree, chance: random.Random) -> None:
    """New items in the list that the part is in, or beside any other."""
    words, target = Words(chance), target_in(tree)
    item = _item_of(target) if target is not None else None
    items = [one for one in _elements(tree) if one.tag in {"li", "tr"} and one.getparent().tag != "thead"]
    mine: list[Tree] = [] if item is None else [item]
    for one in mine + chance.sample(items, min(2, len(items))):
        for _ in range(chance.randint(1, 3)):
            (one.addprevious if chance.random() < 0.6 else one.addnext)(_fresh(one, words))


def remove_items(tree: Tree, chance: random.Random) -> None:
    """Items that are gone, but not that of the part."""
    target = target_in(tree)
    mine = set(target.iterancestors()) | {target} if target is not None else set()
    items = [one for one in _elements(tree) if one.tag in {"li", "tr", "p"} and one not in mine]
    items = [one for one in items if target is None or one not in set(target.iter())]
    for one in chance.sample(items, min(3, len(items))):
        if one.getparent() is not None and one.getparent().tag != "thead":
            one.drop_tree()


def reorder_items(tree: Tree, chance: random.Random) -> None:
    """Lists in another order."""
    for parent in _elements(tree):
        kids = list(parent)
        is_list = len(kids) > 2 and len({one.tag for one in kids}) == 1
        if is_list and kids[0].tag in {"li", "tr", "div", "section"} and chance.random() < 0.7:
            chance.shuffle(kids)
            for one in kids:
                parent.append(one)


def insert_ads(tree: Tree, chance: random.Random) -> None:
    """Advertisements between blocks."""
    words = Words(chance)
    blocks = [one for one in _elements(tree) if one.tag in {"p", "h2", "ul", "div", "table"}]
    for one in chance.sample(blocks, min(3, len(blocks))):
        if one.getparent().tag not in {"tr", "table", "ul", "ol", "dl", "tbody"}:
            made = lxml.html.fromstring(
                f'<div class="ad"><p>Advertisement</p><a href="/ad/{chance.randint(1, 999)}">{words.headline()}</a> '
                f"<b>{words.price()}</b></div>"
            )
            one.addprevious(made)


def change_tags(tree: Tree, chance: random.Random) -> None:
    """Other elements for the same thing."""
    swaps = {"div": "section", "section": "article", "h3": "h4", "b": "strong", "h2": "h3", "span": "em"}
    chosen = chance.sample(sorted(swaps), 2)
    for one in _elements(tree):
        if one.tag in chosen:
            one.tag = swaps[one.tag]


def change_values(tree: Tree, chance: random.Random) -> None:
    """Other numbers, prices and dates everywhere outside headings and links."""
    for one in _elements(tree):
        if one.tag in {"h1", "h2", "h3", "h4", "a"} or not one.text or chance.random() > 0.8:
            continue
        if re.search(r"\d", one.text):
            one.text = re.sub(r"\d", lambda _: str(chance.randint(1, 9)), one.text)


def change_part(tree: Tree, chance: random.Random) -> None:
    """Another value for the part itself, or some other words in it."""
    target, words = target_in(tree), Words(chance)
    if target is None or len(target) or not target.text or target.tag in {"h1", "h2", "h3", "a", "dt", "th", "b"}:
        return
    if re.search(r"\d", target.text):
        target.text = _other(target.text, words)
    elif len(target.text) > 40:
        said = target.text.split()
        for place in chance.sample(range(len(said)), len(said) // 4):
            said[place] = words.thing().split()[-1]
        target.text = " ".join(said)
    elif target.tag == "dd" or target.get("class") == "state":
        target.text = words.thing()


def translate(tree: Tree, chance: random.Random) -> None:
    """The page in another language."""
    turn = chance.choice((1, 3, 5))
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    table = str.maketrans(alphabet + alphabet.upper(), (alphabet[turn:] + alphabet[:turn]) * 2)
    for one in _elements(tree):
        if one.text:
            one.text = one.text.translate(table)
        if one.tail:
            one.tail = one.tail.translate(table)


def move_blocks(tree: Tree, chance: random.Random) -> None:
    """Blocks at other places of the page."""
    parents = [one for one in _elements(tree) if one.tag in {"main", "article", "div"} and len(one) > 2]
    if parents:
        parent = chance.choice(parents)
        kids = list(parent)
        one = chance.choice(kids)
        parent.insert(chance.randrange(len(kids)), one)


def add_decoy(tree: Tree, chance: random.Random) -> None:
    """Something that looks like the part, with other words around it."""
    target, words = target_in(tree), Words(chance)
    if target is None:
        return
    main = next(iter(tree.xpath("//main")), tree.body)
    box = lxml.html.fromstring(f'<div class="promo"><h4>{words.headline()}</h4></div>')
    made = _fresh(target, words)
    if made.tag not in {"td", "tr", "th", "dd", "dt", "li"}:
        box.append(made)
        main.insert(chance.choice((0, len(main))), box)


def remove_part(tree: Tree, chance: random.Random) -> None:
    """The part is gone; with its item, sometimes."""
    target = target_in(tree)
    if target is None:
        return
    item = _item_of(target)
    gone = item if item is not None and chance.random() < 0.4 else target
    # A row that loses a cell is no row any more.
    if gone.tag in {"td", "th"}:
        gone = gone.getparent()
    if gone.tag == "dd":
        gone.getprevious().drop_tree()
    gone.drop_tree()


def insert_banner(tree: Tree, chance: random.Random) -> None:
    """A banner above everything, or above the content."""
    words = Words(chance)
    made = lxml.html.fromstring(
        f'<div class="banner" role="region"><h2>{words.headline()}</h2><p>{words.sentence()}</p>'
        f"<button>Accept</button><a href=/more>{words.thing()}</a></div>"
    )
    main = next(iter(tree.xpath("//main")), tree.body)
    chance.choice((tree.body, main)).insert(0, made)


def add_on_top(tree: Tree, chance: random.Random) -> None:
    """A new item on top of the list of the part: its fixed words ("Add to cart") are those of every item."""
    target, words = target_in(tree), Words(chance)
    item = _item_of(target) if target is not None else None
    if item is None:
        return
    others = [one for one in item.getparent() if one is not item and _shape(one) == _shape(item)]
    said = {" ".join(inner.text.split()) for one in others for inner in one.iter() if inner.text}
    made = copy.deepcopy(item)
    for inner in made.iter():
        if isinstance(inner.tag, str):
            inner.attrib.pop(TRUTH, None)
            if inner.get("href"):
                inner.set("href", f"/new/{chance.randint(1, 9999)}")
            if inner.text and inner.text.strip() and " ".join(inner.text.split()) not in said:
                inner.text = _other(inner.text, words)
    item.getparent().insert(list(item.getparent()).index(min([item, *others], key=item.getparent().index)), made)


def change_own_tag(tree: Tree, chance: random.Random) -> None:
    """Another element for the part itself."""
    target = target_in(tree)
    swaps = {
        "div": ("section", "article"),
        "span": ("b", "div", "strong"),
        "p": ("div", "span"),
        "b": ("span",),
        "h2": ("h3", "div"),
        "h3": ("h2", "div"),
        "section": ("div",),
        "button": ("a", "span"),
    }
    if target is not None and target.tag in swaps:
        target.tag = chance.choice(swaps[target.tag])


def remove_siblings(tree: Tree, chance: random.Random) -> None:
    """What is beside the part, or beside what is around it, is gone."""
    target = target_in(tree)
    for one in chance.sample([target, *target.iterancestors()], 1) if target is not None else ():
        beside = [] if one.getparent() is None else [other for other in one.getparent() if other is not one]
        for other in chance.sample(beside, min(1, len(beside))):
            if other.tag not in {"head", "body", "td", "th", "dt", "thead"}:
                other.drop_tree()


def reorder_siblings(tree: Tree, chance: random.Random) -> None:
    """Two blocks beside each other change places."""
    target = target_in(tree)
    if target is None:
        return
    around = [one for one in (target, *target.iterancestors()) if one.getparent() is not None]
    one = chance.choice(around)
    after = one.getnext()
    if after is not None and isinstance(after.tag, str) and one.tag not in {"td", "th", "dt", "dd", "head", "thead"}:
        tail, one.tail = one.tail, after.tail
        after.addnext(one)
        after.tail = tail


def strip_classes(tree: Tree, chance: random.Random) -> None:
    """No classes at all, or those of a set of utilities."""
    utilities = ("mt-4 px-2", "flex gap-2", "text-sm font-bold", "w-full", "")
    for one in _elements(tree):
        if one.attrib.pop("class", None) and (name := chance.choice(utilities)):
            one.set("class", name)


def copy_menu(tree: Tree, chance: random.Random) -> None:
    """The header once more at the end of the page, as for phones."""
    for one in tree.xpath("//header")[:1]:
        made = copy.deepcopy(one)
        made.tag = "div"
        made.set("class", "mobile")
        for inner in made.iter():
            inner.attrib.pop(TRUTH, None)
            inner.attrib.pop("id", None)
        made.tail = None
        tree.body.insert(chance.choice((0, len(tree.body))), made)


def rename_headings(tree: Tree, chance: random.Random) -> None:
    """Other words in some headings, but not in the part."""
    words, target = Words(chance), target_in(tree)
    for one in _elements(tree):
        is_of_part = target is not None and (one is target or target in set(one.iterancestors()))
        if one.tag in {"h1", "h2"} and not len(one) and not is_of_part and chance.random() < 0.4:
            one.text = words.thing()


CHANGES = (
    insert_banner,
    add_on_top,
    change_own_tag,
    remove_siblings,
    reorder_siblings,
    strip_classes,
    copy_menu,
    rename_headings,
    add_wrappers,
    remove_wrappers,
    rename_classes,
    hash_classes,
    new_ids,
    insert_items,
    remove_items,
    reorder_items,
    insert_ads,
    change_tags,
    change_values,
    change_part,
    translate,
    move_blocks,
    add_decoy,
)
#: Changes that take away the same kind of marks: one of them is enough for a page.
TEXTS = (translate,)
NAMES = (rename_classes, hash_classes, strip_classes)
