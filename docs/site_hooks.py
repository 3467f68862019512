"""What MkDocs does beside its own: pages link to the whole repository, and the site has it all.

MkDocs builds the folder docs/ alone. `README.md` becomes the first page, and every file outside
docs/ that a page links to becomes a page below `repository/`; code is shown as code. Links are
written as they work in the repository, and changed here to where their targets are in the site.
"""

import posixpath
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
README, DOCS, REST = "README.md", "docs/", "repository/"
NAMED = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Pages of the navigation, whether or not one links to them."""

_EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)
_TABLED = re.compile(r"(?<=\|).*`.*\\\|.*`.*(?=\|$)", re.MULTILINE)
"""A row of a table with an escaped bar in code, which Markdown elsewhere escapes and MkDocs not."""
_FENCED = re.compile(r"^(```|~~~).*?^\1$\n?", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))|(?<=src=\")([^\"]+)(?=\")|(?<=href=\")([^\"]+)(?=\")")


class Examples(griffe.Extension):
    """Shows the examples in docstrings as code: they begin with `>>>` and end at an empty line."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Fence the examples of one object."""
        if obj.docstring:
            obj.docstring.value = _EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)


@event_priority(100)
def on_config(config: MkDocsConfig) -> None:
    """Let the reference see the parts as one package, however groundwalk is installed.

    It comes before mkdocstrings reads its paths, which leaves out those that are not there yet.
    """
    subprocess.run([ROOT / "dev", "links"], check=True)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the first page, and the files outside docs/ that pages link to, one after another."""
    waiting = [README, *NAMED, *(DOCS + page.src_uri for page in files.documentation_pages())]
    known = set(waiting)
    while waiting:
        path = waiting.pop()
        if not path.startswith(DOCS):
            files.append(_file(path, config))
        if path.endswith(".md"):
            linked = {_target(path, link) for link in _links(path)} - {"", *known}
            known |= linked
            waiting += sorted(page for page in linked if not page.startswith(DOCS))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead the links of a page to where their targets are in the site."""
    uri = page.file.src_uri
    path = _path(uri)
    if not path.endswith(".md"):
        return markdown
    here = posixpath.dirname(uri)

    def moved(link: str) -> str:
        target = _target(path, link)
        _, mark, anchor = link.partition("#")
        return posixpath.relpath(_uri(target), here or ".") + mark + anchor if target else link

    return _TABLED.sub(lambda match: match[0].replace(r"\|", "|"), _changed(markdown, moved))


def _links(path: str) -> list[str]:
    """The links of a file, as they are written."""
    links = list[str]()
    _changed((ROOT / path).read_text(encoding="utf-8"), lambda link: links.append(link) or link)
    return links


def _changed(markdown: str, change: Callable[[str], str]) -> str:
    """A text with its links changed, those in blocks of code left alone."""

    def text(part: str) -> str:
        return _LINK.sub(lambda match: change(match[0]), part)

    parts, start = list[str](), 0
    for block in _FENCED.finditer(markdown):
        parts += [text(markdown[start : block.start()]), block[0]]
        start = block.end()
    return "".join([*parts, text(markdown[start:])])


def _target(path: str, link: str) -> str:
    """The file that a link of a file names, from the root; empty for a heading or an address."""
    name = link.partition("#")[0]
    if not name or re.match(r"[a-z][a-z+.-]*:", name):
        return ""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    if (ROOT / target).is_dir():
        target += "/README.md"
    if target.startswith("..") or not (ROOT / target).is_file():
        raise PluginError(f"{path}: there is no {link}")
    return target


def _uri(path: str) -> str:
    """Where a file of the repository is in the site's sources."""
    if path == README:
        return "index.md"
    if path.startswith(DOCS):
        return path.removeprefix(DOCS)
    return REST + path + ("" if path.endswith(".md") else ".md")


def _path(uri: str) -> str:
    """The file of the repository that a source of the site is made of."""
    if uri == "index.md":
        return README
    if not uri.startswith(REST):
        return DOCS + uri
    path = uri.removeprefix(REST)
    return path if (ROOT / path).exists() else path.removesuffix(".md")


def _file(path: str, config: MkDocsConfig) -> File:
    if path.endswith(".md"):
        source = ROOT / path
        return File.generated(config, _uri(path), abs_src_path=str(source), inclusion=_SHOWN)
    text = (ROOT / path).read_text(encoding="utf-8")
    language = {".py": "python", ".ttl": "turtle"}.get(Path(path).suffix, "text")
    content = f"# `{path}`\n\n~~~~{language}\n{text}\n~~~~\n"
    return File.generated(config, _uri(path), content=content, inclusion=_SHOWN)


_SHOWN = InclusionLevel.NOT_IN_NAV
"""Pages beside the navigation are no mistake."""
