"""Vega's pictures as pages hold them."""

import re
from xml.etree import ElementTree

_SVG = "http://www.w3.org/2000/svg"


def inline_svg(svg: str, title: str) -> str:
    """Return Vega's *svg* as a page holds it: of any width, with tooltips, without the rest.

    Roles and classes mean nothing in a page, and a tenth of a pixel is fine enough.
    """
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        label = element.attrib.pop("aria-label", "")
        for name in [name for name in element.attrib if name in _NEEDLESS or "aria" in name]:
            del element.attrib[name]
        for name in element.attrib.keys() & {"d", "transform", "x", "y", "x1", "x2", "y1", "y2"}:
            element.set(name, re.sub(r"\d+\.\d+", _tenth, element.attrib[name]))
        if label and element is not root and not len(element):
            ElementTree.SubElement(element, f"{{{_SVG}}}title").text = label
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", title)
    return ElementTree.tostring(root, encoding="unicode")


_NEEDLESS = {"class", "role", "font-family", "pointer-events", "stroke-miterlimit"}


def _tenth(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")
