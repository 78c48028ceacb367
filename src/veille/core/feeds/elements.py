"""What each element does when it begins and when it ends. An element not listed here only collects its text."""

from __future__ import annotations

from collections.abc import Callable

from veille.core.feeds.machine import HTML_TYPES, XHTML, Attributes, Handler, Machine
from veille.core.feeds.moments import moment
from veille.core.feeds.records import Link, Record

End = Callable[[Machine], None]


def _language(attributes: Attributes) -> str:
    return (attributes.get("xml:lang") or attributes.get("lang") or "").replace("_", "-")


def _start_rss(machine: Machine, attributes: Attributes) -> None:
    machine.feed.language = _language(attributes)
    if not machine.version.startswith("rss"):
        machine.version = "rss"


def _start_channel(machine: Machine, attributes: Attributes) -> None:
    machine.in_feed = True
    _channel_definition(machine, attributes)


def _channel_definition(machine: Machine, attributes: Attributes) -> None:
    """Microsoft's Channel Definition Format says in attributes what others say in elements."""
    if "lastmod" in attributes:
        machine.context.updated = moment(attributes["lastmod"])
    if "href" in attributes:
        machine.add_link({})
        machine.data(attributes["href"])
        machine.pop("link")


def _start_feed(machine: Machine, attributes: Attributes) -> None:
    machine.in_feed = True
    machine.feed.language = _language(attributes)
    if not machine.version:
        version = attributes.get("version", "")
        machine.version = {"0.1": "atom01", "0.2": "atom02", "0.3": "atom03"}.get(version, "atom")


def _end_channel(machine: Machine) -> None:
    machine.in_feed = False


def _start_item(machine: Machine, attributes: Attributes) -> None:
    record = Record(language=_language(attributes))
    machine.entries.append(record)
    machine.push("item", keep=False)
    machine.in_entry = True
    machine.guid_is_link = False
    machine.title_depth = -1
    if about := attributes.get("rdf:about"):
        machine.context.id = about
    _channel_definition(machine, attributes)


def _end_item(machine: Machine) -> None:
    machine.pop("item")
    machine.in_entry = machine.has_content = False


def _start_image(machine: Machine, attributes: Attributes) -> None:
    del attributes
    if not machine.in_entry and machine.image is None:
        machine.image = Record()
    machine.in_image = True
    machine.title_depth = -1
    machine.push("image", keep=False)


def _end_image(machine: Machine) -> None:
    machine.pop("image")
    machine.in_image = False


def _start_text_input(machine: Machine, attributes: Attributes) -> None:
    del attributes
    machine.in_text_input = True
    machine.title_depth = -1
    machine.push("textinput", keep=False)


def _end_text_input(machine: Machine) -> None:
    machine.pop("textinput")
    machine.in_text_input = False


def _start_author(machine: Machine, attributes: Attributes) -> None:
    del attributes
    machine.in_author = True
    machine.push("author")
    machine.context.people.append({})


def _end_author(machine: Machine) -> None:
    machine.pop("author")
    machine.in_author = False
    machine.context.sync_author()


def _start_contributor(machine: Machine, attributes: Attributes) -> None:
    del attributes
    machine.in_contributor = True
    machine.push("contributor", keep=False)


def _end_contributor(machine: Machine) -> None:
    machine.pop("contributor")
    machine.in_contributor = False


def _start_dc_contributor(machine: Machine, attributes: Attributes) -> None:
    del attributes
    machine.in_contributor = True
    machine.push("name", keep=False)


def _end_dc_contributor(machine: Machine) -> None:
    _end_name(machine)
    machine.in_contributor = False


def _start_owner(machine: Machine, attributes: Attributes) -> None:
    del attributes
    machine.in_publisher = True
    machine.push("publisher", keep=False)


def _end_owner(machine: Machine) -> None:
    machine.pop("publisher")
    machine.in_publisher = False


def _end_name(machine: Machine) -> None:
    value = machine.pop("name")
    if machine.in_publisher or machine.in_author:
        machine.context.name_person("name", value)


def _end_email(machine: Machine) -> None:
    value = machine.pop("email")
    if machine.in_publisher or machine.in_author:
        machine.context.name_person("email", value)


def _end_url(machine: Machine) -> None:
    value = machine.pop("href")
    if machine.in_author:
        machine.context.name_person("href", value)


def _end_published(machine: Machine) -> None:
    machine.context.published = moment(machine.pop("published"))


def _end_updated(machine: Machine) -> None:
    machine.context.updated = moment(machine.pop("updated"))


def _start_category(machine: Machine, attributes: Attributes) -> None:
    tags = machine.context.tags
    term = attributes.get("term")
    if term or attributes.get("scheme", attributes.get("domain")) or attributes.get("label"):
        tags.append(term)
    machine.push("category")


def _start_itunes_category(machine: Machine, attributes: Attributes) -> None:
    machine.context.tags.append(attributes.get("text"))
    machine.push("category")


def _end_category(machine: Machine) -> None:
    value = machine.pop("category")
    tags = machine.context.tags
    if value and tags and not tags[-1]:
        tags[-1] = value
    elif value:
        tags.append(value)


def _keywords(name: str) -> End:
    def end(machine: Machine) -> None:
        machine.context.tags.extend(word.strip() for word in machine.pop(name).split(",") if word.strip())

    return end


def _start_guid(machine: Machine, attributes: Attributes) -> None:
    machine.guid_is_link = attributes.get("ispermalink", "true") == "true"
    machine.push("id")


def _end_guid(machine: Machine) -> None:
    value = machine.pop("id")
    context = machine.context
    if machine.guid_is_link and context.link is None:
        context.link = value


def _start_title(machine: Machine, attributes: Attributes) -> None:
    machine.push_content("title", attributes, "text/plain", keep=machine.takes_text)


def _end_title(machine: Machine) -> None:
    if machine.pop_content("title"):
        machine.title_depth = machine.depth


def _end_media_title(machine: Machine) -> None:
    depth = machine.title_depth
    _end_title(machine)
    machine.title_depth = depth


def _start_description(machine: Machine, attributes: Attributes) -> None:
    if machine.context.summary is not None and not machine.has_content:
        machine.summary_key = "content"
        _start_content(machine, attributes)
    else:
        machine.push_content("description", attributes, "text/html", keep=machine.takes_text)


def _start_abstract(machine: Machine, attributes: Attributes) -> None:
    machine.push_content("description", attributes, "text/plain", keep=machine.takes_text)


def _end_description(machine: Machine) -> None:
    if machine.summary_key == "content":
        _end_content(machine)
    else:
        machine.pop_content("description")
    machine.summary_key = ""


def _start_summary(machine: Machine, attributes: Attributes) -> None:
    if machine.context.summary is not None and not machine.has_content:
        machine.summary_key = "content"
        _start_content(machine, attributes)
    else:
        machine.summary_key = "summary"
        machine.push_content("summary", attributes, "text/plain")


def _end_summary(machine: Machine) -> None:
    if machine.summary_key == "content":
        _end_content(machine)
    else:
        machine.pop_content("summary")
    machine.summary_key = ""


def _start_content(machine: Machine, attributes: Attributes) -> None:
    machine.has_content = True
    machine.push_content("content", attributes, "text/plain")
    # Twice, as the reference parser does, whose stack is never even again: it decides what a stray end tag ends.
    machine.push("content")


def _start_encoded(machine: Machine, attributes: Attributes) -> None:
    machine.has_content = True
    machine.push_content("content", attributes, "text/html")


def _start_body(machine: Machine, attributes: Attributes) -> None:
    machine.push_content("content", attributes, XHTML)


def _end_content(machine: Machine) -> None:
    also_summary = machine.content_type == "text/plain" or machine.content_type in HTML_TYPES
    value = machine.pop_content("content")
    if also_summary and machine.context.summary is None:
        machine.context.summary = value


def _start_enclosure(machine: Machine, attributes: Attributes) -> None:
    href = attributes.get("url", attributes.get("uri", attributes.get("href")))
    machine.context.links.append(Link(rel="enclosure", href=href))


def _start_source(machine: Machine, attributes: Attributes) -> None:
    del attributes
    machine.push("source")
    machine.in_source = True
    machine.title_depth = -1


def _end_source(machine: Machine) -> None:
    machine.in_source = False
    machine.pop("source")
    machine.source = Record()


def _nothing(machine: Machine, attributes: Attributes) -> None:
    del machine, attributes


def _pushing(name: str, *, keep: bool = True) -> Handler:
    def start(machine: Machine, attributes: Attributes) -> None:
        del attributes
        machine.push(name, keep=keep)

    return start


def _popping(name: str) -> End:
    def end(machine: Machine) -> None:
        machine.pop(name)

    return end


def _markup(name: str) -> tuple[Handler, End]:
    """A text that may be markup and is not kept; still its tags are no elements of the feed."""

    def start(machine: Machine, attributes: Attributes) -> None:
        machine.push_content(name, attributes, "text/plain")

    def end(machine: Machine) -> None:
        machine.pop_content(name)

    return start, end


def _add_link(machine: Machine, attributes: Attributes) -> None:
    machine.add_link(attributes)


_AUTHOR = (_start_author, _end_author)
_PUBLISHED = (_pushing("published", keep=False), _end_published)
_UPDATED = (_pushing("updated", keep=False), _end_updated)
_CATEGORY = (_start_category, _end_category)
_TITLE = (_start_title, _end_title)
_DESCRIPTION = (_start_description, _end_description)
_SUMMARY = (_start_summary, _end_summary)
_LANGUAGE = (_pushing("language"), _popping("language"))
_PUBLISHER = (_pushing("publisher", keep=False), _popping("publisher"))
_GUID = (_start_guid, _end_guid)
_NAME = (_pushing("name", keep=False), _end_name)
_EMAIL = (_pushing("email", keep=False), _end_email)
_URL = (_pushing("href", keep=False), _end_url)
_TEXT_INPUT = (_start_text_input, _end_text_input)
_ITEM = (_start_item, _end_item)
_FULL = (_start_encoded, _end_content)
_BODY = (_start_body, _end_content)
_SUBTITLE, _RIGHTS, _INFO = _markup("subtitle"), _markup("rights"), _markup("info")


def collected(name: str) -> tuple[Handler, End]:
    """What an element does that is not listed: it keeps its text from others, unless it has attributes."""

    def start(machine: Machine, attributes: Attributes) -> None:
        if not attributes:
            machine.push(name, keep=False)

    return start, _popping(name)


def _ignored(name: str) -> tuple[Handler, End]:
    return _pushing(name, keep=False), _popping(name)


#: Element, with its standard prefix: what it does at its beginning and at its end.
ELEMENTS: dict[str, tuple[Handler, End]] = {
    "rss": (_start_rss, _popping("rss")),
    "channel": (_start_channel, _end_channel),
    "feed": (_start_feed, _end_channel),
    "item": _ITEM,
    "entry": _ITEM,
    "image": (_start_image, _end_image),
    "textinput": _TEXT_INPUT,
    "author": _AUTHOR,
    "managingeditor": _AUTHOR,
    "dc_author": _AUTHOR,
    "dc_creator": _AUTHOR,
    "itunes_author": _AUTHOR,
    "contributor": (_start_contributor, _end_contributor),
    "dc_contributor": (_start_dc_contributor, _end_dc_contributor),
    "itunes_owner": (_start_owner, _end_owner),
    "name": _NAME,
    "itunes_name": _NAME,
    "email": _EMAIL,
    "itunes_email": _EMAIL,
    "url": _URL,
    "homepage": _URL,
    "uri": _URL,
    "width": _ignored("width"),
    "height": _ignored("height"),
    "subtitle": _SUBTITLE,
    "tagline": _SUBTITLE,
    "itunes_subtitle": _SUBTITLE,
    "rights": _RIGHTS,
    "copyright": _RIGHTS,
    "dc_rights": _RIGHTS,
    "info": _INFO,
    "feedburner_browserfriendly": _INFO,
    "language": _LANGUAGE,
    "dc_language": _LANGUAGE,
    "webmaster": _PUBLISHER,
    "dc_publisher": _PUBLISHER,
    "published": _PUBLISHED,
    "issued": _PUBLISHED,
    "pubdate": _PUBLISHED,
    "dcterms_issued": _PUBLISHED,
    "updated": _UPDATED,
    "modified": _UPDATED,
    "lastbuilddate": _UPDATED,
    "dc_date": _UPDATED,
    "dcterms_modified": _UPDATED,
    "category": _CATEGORY,
    "keywords": _CATEGORY,
    "dc_subject": _CATEGORY,
    "media_category": _CATEGORY,
    "itunes_category": (_start_itunes_category, _end_category),
    "itunes_keywords": (_pushing("itunes_keywords", keep=False), _keywords("itunes_keywords")),
    "media_keywords": (_pushing("media_keywords", keep=False), _keywords("media_keywords")),
    "tags": (_pushing("tags", keep=False), _keywords("tags")),
    "link": (_add_link, _popping("link")),
    "guid": _GUID,
    "id": _GUID,
    "title": _TITLE,
    "dc_title": _TITLE,
    "media_title": (_start_title, _end_media_title),
    "description": _DESCRIPTION,
    "dc_description": _DESCRIPTION,
    "media_description": _DESCRIPTION,
    "abstract": (_start_abstract, _end_description),
    "summary": _SUMMARY,
    "itunes_summary": _SUMMARY,
    "content": (_start_content, _end_content),
    "content_encoded": _FULL,
    "fullitem": _FULL,
    "body": _BODY,
    "xhtml_body": _BODY,
    "enclosure": (_start_enclosure, _popping("enclosure")),
    "source": (_start_source, _end_source),
    "generator": _ignored("generator"),
    "cloud": (_nothing, _popping("cloud")),
    "media_group": (_nothing, _popping("media_group")),
    "media_content": (_nothing, _popping("media_content")),
    "media_rating": _ignored("rating"),
    "media_credit": _ignored("credit"),
    "media_restriction": _ignored("restriction"),
    "media_license": _ignored("license"),
    "media_thumbnail": _ignored("thumbnail"),
    "media_player": _ignored("media_player"),
    "itunes_image": _ignored("itunes_image"),
    "itunes_link": _ignored("itunes_link"),
}


def _published(machine: Machine, text: str, attributes: Attributes) -> None:
    del attributes
    machine.context.published = moment(text)


def _updated(machine: Machine, text: str, attributes: Attributes) -> None:
    del attributes
    machine.context.updated = moment(text)


def _guid(machine: Machine, text: str, attributes: Attributes) -> None:
    machine.guid_is_link = attributes.get("ispermalink", "true") == "true"
    value = machine.plain(machine.identity(text))
    machine.store("id", value)
    context = machine.context
    if machine.guid_is_link and context.link is None:
        context.link = value


def _link(machine: Machine, text: str, attributes: Attributes) -> None:
    if attributes or not machine.takes_text:
        machine.add_link(attributes)
        machine.data(text)
        machine.pop("link")
    else:
        machine.context.links.append(Link(rel="alternate", type="text/html"))
        machine.store("link", machine.address(text))


def _title(machine: Machine, text: str, attributes: Attributes) -> None:
    value = machine.content("title", text, attributes, "text/plain") if machine.takes_text else text
    if value:
        machine.title_depth = machine.depth


def _description(machine: Machine, text: str, attributes: Attributes) -> None:
    if machine.context.summary is not None and not machine.has_content:
        _content(machine, text, attributes)
    elif machine.takes_text:
        machine.content("description", text, attributes, "text/html")


def _summary(machine: Machine, text: str, attributes: Attributes) -> None:
    if machine.context.summary is not None and not machine.has_content:
        _content(machine, text, attributes)
    else:
        machine.content("summary", text, attributes, "text/plain")


def _content(machine: Machine, text: str, attributes: Attributes) -> None:
    _whole_content(machine, text, attributes, "text/plain")
    machine.push("content")  # see _start_content


def _encoded(machine: Machine, text: str, attributes: Attributes) -> None:
    _whole_content(machine, text, attributes, "text/html")


def _whole_content(machine: Machine, text: str, attributes: Attributes, default: str) -> None:
    machine.has_content = True
    kind = machine.typed(attributes, default)
    value = machine.content("content", text, attributes, default)
    if (kind == "text/plain" or kind in HTML_TYPES) and machine.context.summary is None:
        machine.context.summary = value


def _author(machine: Machine, text: str, attributes: Attributes) -> None:
    del attributes
    context = machine.context
    context.people.append({})
    machine.store("author", machine.plain(text))
    context.sync_author()


def _name(machine: Machine, text: str, attributes: Attributes) -> None:
    del attributes
    if machine.in_publisher or machine.in_author:
        machine.context.name_person("name", text)


def _email(machine: Machine, text: str, attributes: Attributes) -> None:
    del attributes
    if machine.in_publisher or machine.in_author:
        machine.context.name_person("email", text)


def _url(machine: Machine, text: str, attributes: Attributes) -> None:
    del attributes
    if machine.in_author:
        machine.context.name_person("href", text)


def _category(machine: Machine, text: str, attributes: Attributes) -> None:
    if text or not attributes:
        _start_category(machine, attributes)
        machine.data(text)
        _end_category(machine)
    elif term := attributes.get("term"):
        machine.context.tags.append(term)


def nothing_said(machine: Machine, text: str, attributes: Attributes) -> None:
    """What an element without children and without a meaning does."""


#: A short way for elements that are many and have no children: the whole text at once.
LEAVES: dict[str, Callable[[Machine, str, Attributes], None]] = {
    "title": _title,
    "description": _description,
    "summary": _summary,
    "content": _content,
    "content_encoded": _encoded,
    "link": _link,
    "guid": _guid,
    "id": _guid,
    "pubdate": _published,
    "published": _published,
    "updated": _updated,
    "dc_date": _updated,
    "author": _author,
    "dc_creator": _author,
    "name": _name,
    "email": _email,
    "uri": _url,
    "category": _category,
    "media_content": nothing_said,
    "media_thumbnail": nothing_said,
}
