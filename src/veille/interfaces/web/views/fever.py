"""Answers of the Fever protocol: JSON, or XML for an app that asks for it (`?api=xml`)."""

from __future__ import annotations

from typing import Any

from fastapi import Response
from fastapi.responses import JSONResponse
from lxml import etree

from veille.core.text import xml_safe


def told(said: dict[str, Any], *, as_xml: bool) -> Response:
    """The answer as it was asked for."""
    if not as_xml:
        return JSONResponse(said)
    root = etree.Element("response")
    for name, value in said.items():
        _put(root, name, value)
    return Response(etree.tostring(root, xml_declaration=True, encoding="utf-8"), media_type="text/xml")


def _put(parent: etree._Element, name: str, value: Any) -> None:
    """A member; a list has an element of the singular for each of its rows."""
    one = etree.SubElement(parent, name)
    if isinstance(value, list):
        for row in value:
            _put(one, name.removesuffix("s"), row)
    elif isinstance(value, dict):
        for inner, text in value.items():
            _put(one, inner, text)
    else:
        one.text = xml_safe(str(value))
