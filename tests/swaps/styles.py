"""The same manual as three programs write it, each in two versions of itself: what changes between them is no news."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from swaps.manual import Chapter, Manual, Section


@dataclass(frozen=True)
class Release:
    """What a build puts on every page."""

    version: str
    built: str
    #: The version of the program that wrote the pages.
    tool: str
    year: int
    #: Whether its theme is the newer one.
    renewed: bool


Style = Callable[[Manual, Chapter, Release], str]

_VERSIONS = (("3.2.25", "4.2.1"), ("15", "17"), ("0.9", "1.0rc1"), ("v2.3.0", "v2.4.0"), ("2024.1", "2024.2"))
_BUILT = (
    ("Feb 27, 2024", "Nov 05, 2025"),
    ("2024-02-27 10:15:02 UTC", "2025-11-05 07:44:51 UTC"),
    ("27. Februar 2024", "5. November 2025"),
    ("27/02/2024", "05/11/2025"),
    ("Tue Feb 27 10:15:02 2024", "Wed Nov 5 07:44:51 2025"),
)


def releases(seed: int) -> tuple[Release, Release]:
    """The version that is there first, and the one that takes its place."""
    chance = random.Random(seed)
    version, built = chance.choice(_VERSIONS), chance.choice(_BUILT)
    return (
        Release(version[0], built[0], "5.3.0", 2024, renewed=False),
        Release(version[1], built[1], "7.4.7", 2025, renewed=True),
    )


def sphinx(manual: Manual, chapter: Chapter, release: Release) -> str:
    """A page as Sphinx writes it."""
    before, behind = manual.around(chapter)
    box = "section" if release.renewed else "div"
    start = "<section" if release.renewed else '<div class="section"'
    code = "code" if release.renewed else "tt"

    def permalink(name: str) -> str:
        says = "Link" if release.renewed else "Permalink"
        return f'<a class="headerlink" href="#{name}" title="{says} to this heading">¶</a>'

    def part(section: Section) -> str:
        since = f'<div class="versionadded"><p><span>New in version {section.since}.</span></p></div>'
        table = "docutils align-default" if release.renewed else "docutils"
        return f"""
            {start} id="{section.name}"><h2>{escape(section.heading)}{permalink(section.name)}</h2>
            {_paragraphs(section)}
            {since if section.since else ""}
            {_table(section, f'<table class="{table}">')}
            {_code(section, '<div class="highlight-python notranslate"><div class="highlight"><pre><span></span>')}
            {_items(section, '<ul class="simple">')}
            </{box}>"""

    related = f"""
        <div class="related" role="navigation" aria-label="related navigation"><h3>Navigation</h3><ul>
        <li class="right"><a href="/genindex.html" title="General Index">index</a></li>
        <li class="right"><a href="{behind.path}" title="{escape(behind.title)}">next</a> |</li>
        <li class="right"><a href="{before.path}" title="{escape(before.title)}">previous</a> |</li>
        <li class="nav-item nav-item-0"><a href="/index.html">Example {release.version} documentation</a> &#187;</li>
        <li class="nav-item nav-item-this"><a href="">{escape(chapter.title)}</a></li></ul></div>"""
    body = f"""
        {start} id="top"><h1>{escape(chapter.title)}{permalink("top")}</h1>
        <p>See <a class="reference internal" href="{chapter.target}"><span class="doc">{escape(chapter.link)}</span></a>
        and <{code} class="docutils literal"><span class="pre">{chapter.sections[0].name}</span></{code}>.</p>
        {"".join(map(part, chapter.sections))}</{box}>"""
    side = f"""
        <div class="sphinxsidebar" role="navigation" aria-label="main navigation"><div class="sphinxsidebarwrapper">
        <div><h3><a href="/index.html">Table of Contents</a></h3><ul>{_toc(chapter, "reference internal")}</ul></div>
        <div><h4>Previous topic</h4><p class="topless"><a href="{before.path}">{escape(before.title)}</a></p></div>
        <div><h4>Next topic</h4><p class="topless"><a href="{behind.path}">{escape(behind.title)}</a></p></div>
        <div role="note" aria-label="source link"><h3>This Page</h3><ul class="this-page-menu">
        <li><a href="https://code.example/{release.version}{chapter.path}">Show Source</a></li></ul></div>
        <div id="searchbox" style="display: none" role="search"><h3>Quick search</h3><form><input name="q">
        <input type="submit" value="Go"></form></div></div></div>"""
    end = f"""
        <div class="footer" role="contentinfo">&#169; Copyright 2005-{release.year}, The Example Foundation.
        Last updated on {release.built}.
        Created using <a href="https://www.sphinx-doc.org/">Sphinx</a> {release.tool}.</div>"""
    return _html(
        f"{escape(chapter.title)} &#8212; Example {release.version} documentation",
        f"""{related}<div class="document"><div class="documentwrapper"><div class="bodywrapper">
        <div class="body" role="main">{body}<div class="clearer"></div></div></div></div>{side}
        <div class="clearer"></div></div>{related}{end}""",
    )


def docbook(manual: Manual, chapter: Chapter, release: Release) -> str:
    """A page as the DocBook stylesheets write it."""
    before, behind = manual.around(chapter)

    def heading(tag: str, text: str, name: str) -> str:
        permalink = f' <a href="#{name}" class="id_link">#</a>' if release.renewed else ""
        title = f'<{tag} class="title">{escape(text)}{permalink}</{tag}>'
        return f'<div class="titlepage"><div><div>{title}</div></div></div>'

    def part(section: Section) -> str:
        name = section.name.upper()
        listing = "programlisting" if release.renewed else "screen"
        return f"""
            <div class="sect2" id="{name}">{heading("h3", section.heading, name)}
            {_paragraphs(section)}
            {f"<p>Available since release {section.since}.</p>" if section.since else ""}
            <div class="table"><div class="table-contents">{_table(section, f'<table summary="{name}" border="1">')}
            </div></div>
            {_code(section, f'<pre class="{listing}">')}
            <div class="itemizedlist">{_items(section, '<ul class="itemizedlist" style="list-style-type: disc">', "p")}
            </div></div>"""

    home = f'<a accesskey="h" href="/index.html" title="Example {release.version} Documentation">Home</a>'
    head = f"""
        <div class="navheader"><table width="100%" summary="Navigation header">
        <tr><th colspan="5" align="center">{escape(chapter.title)}</th></tr>
        <tr><td><a accesskey="p" href="{before.path}" title="{escape(before.title)}">Prev</a> </td>
        <td><a accesskey="u" href="/index.html">Up</a></td><th align="center">Part II. The Guide</th>
        <td>{home}</td><td align="right"> <a accesskey="n" href="{behind.path}">Next</a></td></tr></table><hr></div>"""
    foot = f"""
        <div class="navfooter"><hr><table width="100%" summary="Navigation footer">
        <tr><td><a accesskey="p" href="{before.path}">Prev</a> </td><td><a accesskey="u" href="/index.html">Up</a></td>
        <td align="right"> <a accesskey="n" href="{behind.path}">Next</a></td></tr>
        <tr><td valign="top">{escape(before.title)} </td><td>{home}</td>
        <td align="right" valign="top"> {escape(behind.title)}</td></tr></table></div>"""
    legal = f"""
        <div class="legal"><p class="copyright">Copyright &copy; 1996–{release.year} The Example Development Group</p>
        <p>Example {release.version} Documentation, generated on {release.built}
        by DocBook XSL Stylesheets {release.tool}</p></div>"""  # noqa: RUF001 - as DocBook writes years
    body = f"""
        <div class="sect1" id="TOP">{heading("h2", chapter.title, "TOP")}
        <p>See <a class="xref" href="{chapter.target}">{escape(chapter.link)}</a>
        and <code class="literal">{chapter.sections[0].name}</code>.</p>
        {"".join(map(part, chapter.sections))}</div>"""
    return _html(
        f"Example: Documentation: {release.version}: {escape(chapter.title)}",
        head + body + foot + legal,
        f'<meta name="generator" content="DocBook XSL Stylesheets V{release.tool}">',
    )


def mkdocs(manual: Manual, chapter: Chapter, release: Release) -> str:
    """A page as MkDocs writes it."""
    before, behind = manual.around(chapter)
    sign, table = ("#", "<table>") if release.renewed else ("&para;", '<table class="docutils">')
    start = '<div class="highlight"><pre><span></span>' if release.renewed else '<div><pre class="codehilite">'

    def heading(tag: str, text: str, name: str) -> str:
        permalink = f'<a class="headerlink" href="#{name}" title="Permanent link">{sign}</a>'
        return f'<{tag} id="{name}">{escape(text)}{permalink}</{tag}>'

    def part(section: Section) -> str:
        added = f'<div class="admonition note"><p class="admonition-title">Added in {section.since}</p></div>'
        return f"""
            {heading("h2", section.heading, section.name)}
            {_paragraphs(section)}
            {added if section.since else ""}
            {_table(section, table)}
            {_code(section, start)}
            {_items(section, "<ul>")}"""

    menu = "".join(
        f'<li class="md-nav__item"><a href="{one.path}" class="md-nav__link">{escape(one.title)}</a></li>'
        for one in manual.chapters[:40]
    )
    body = f"""
        <a href="https://code.example/edit/{release.version}/docs{chapter.path}" title="Edit this page"
        class="md-content__button md-icon">Edit this page</a>
        {heading("h1", chapter.title, "top")}
        <p>See <a href="{chapter.target}">{escape(chapter.link)}</a> and <code>{chapter.sections[0].name}</code>.</p>
        {"".join(map(part, chapter.sections))}
        <aside class="md-source-file"><span class="md-source-file__fact">Last update:
        <span class="git-revision-date">{release.built}</span></span></aside>"""
    kind = "md-typeset" if release.renewed else "md-typeset rst-content"
    return _html(
        f"{escape(chapter.title)} - Example {release.version}",
        f"""<div class="md-banner">You are reading the documentation of version {release.version}.</div>
        <header class="md-header"><nav class="md-header__inner"><a href="/index.html" title="Example">Example</a>
        <div class="md-version">{release.version}</div>
        <div class="md-search" role="search"><form><input placeholder="Search"></form></div></nav></header>
        <div class="md-container"><main class="md-main"><div class="md-main__inner md-grid">
        <div class="md-sidebar md-sidebar--primary"><nav class="md-nav md-nav--primary"><ul>{menu}</ul></nav></div>
        <div class="md-sidebar md-sidebar--secondary"><nav class="md-nav md-nav--secondary"><label>On this page</label>
        <ul>{_toc(chapter, "md-nav__link")}</ul></nav></div>
        <div class="md-content"><article class="md-content__inner {kind}">{body}</article></div></div></main>
        <footer class="md-footer"><nav><a href="{before.path}">Previous {escape(before.title)}</a>
        <a href="{behind.path}">Next {escape(behind.title)}</a></nav><div class="md-copyright">
        Copyright &copy; 2014 - {release.year} The Example Authors. Made with Material for MkDocs {release.tool}
        </div></footer></div>""",
        f'<meta name="generator" content="mkdocs-{release.tool}">',
    )


STYLES: dict[str, Style] = {"sphinx": sphinx, "docbook": docbook, "mkdocs": mkdocs}


def contents(manual: Manual, release: Release) -> str:
    """The first page, which leads to all others."""
    links = "".join(f'<li><a href="{path}">{path}</a></li>' for path in sorted(one.path for one in manual.chapters))
    return _html("Contents", f"<main><h1>Contents of version {release.version}</h1><ul>{links}</ul></main>")


def _paragraphs(section: Section) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in section.paragraphs)


def _toc(chapter: Chapter, name: str) -> str:
    return "".join(
        f'<li><a class="{name}" href="#{one.name}">{escape(one.heading)}</a></li>' for one in chapter.sections
    )


def _table(section: Section, start: str) -> str:
    if not section.table:
        return ""
    head, *rows = section.table
    cells = "".join(f"<th>{name}</th>" for name in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"{start}<thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>"


def _code(section: Section, start: str) -> str:
    """The code in a `pre`, and as many elements around it as the start has."""
    end = "</pre>" + "</div>" * start.count("<div")
    return start + escape("\n".join(section.code)) + end if section.code else ""


def _items(section: Section, start: str, inner: str = "") -> str:
    around = (f"<{inner}>", f"</{inner}>") if inner else ("", "")
    rows = "".join(f"<li>{around[0]}{escape(text)}{around[1]}</li>" for text in section.items)
    return f"{start}{rows}</ul>" if rows else ""


def _html(title: str, body: str, head: str = "") -> str:
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}</head>
        <body>{body}</body></html>"""
