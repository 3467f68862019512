"""Reading a page as a browser's parser would, with the parser of the standard library."""

import json
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from groundwalk.evaluation.report.build import build_report

_VOID = ("meta", "input", "br", "hr", "img", "link", "path", "line", "rect", "circle")


class Page(HTMLParser):
    """The elements of a page with their attributes, its texts, its tables, its data."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = text
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.shown: list[str] = []
        self._open: list[str] = []
        self._table: list[list[str]] = []
        self._caption = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)
        match tag:
            case "script":
                self.scripts.append("")
            case "table":
                self._table, self._caption = [], ""
            case "tr":
                self._table.append([])
            case "td" | "th" if self._table:
                self._table[-1].append("")
            case _:
                pass

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        while self._open and self._open.pop() != tag:
            pass
        if tag == "table":
            self.tables[self._caption] = self._table

    def handle_data(self, data: str) -> None:
        match self._open[-1:]:
            case ["script"]:
                self.scripts[-1] += data
                return
            case ["style"]:
                self.styles.append(data)
                return
            case ["caption"]:
                self._caption += data
            case _:
                pass
        self.shown.append(data)
        if self._table and self._table[-1] and ("td" in self._open or "th" in self._open):
            self._table[-1][-1] = " ".join(f"{self._table[-1][-1]} {data}".split())

    @property
    def data(self) -> dict[str, Any]:
        return json.loads(self.scripts[0])

    @property
    def shape(self) -> list[tuple[str, tuple[str, ...]]]:
        """The elements with the names of their attributes: what no text may change."""
        return [(tag, tuple(attributes)) for tag, attributes in self.elements]

    def attribute(self, tag: str, name: str) -> list[str]:
        return [
            value or "" for t, found in self.elements if t == tag and (value := found.get(name))
        ]


def page_of(*folders: Path, out: Path | None = None) -> Page:
    return read_page(build_report(folders, out).file)


def read_page(file: Path) -> Page:
    return Page(file.read_text(encoding="utf-8"))


def column(table: Sequence[Sequence[str]], title: str) -> list[str]:
    place = list(table[0]).index(title)
    return [row[place] for row in table[1:]]
