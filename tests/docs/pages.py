"""What a page of the documentation holds: blocks of code, the commands in them, options, links."""

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = tuple(sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", *DOCS)
LINKED = (*PAGES, "ARCHITECTURE.md", "CHANGELOG.md", "evaluation/SCHEMA.md")
"""Pages of which links are followed; code in the last three is not of a user."""

_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEREDOC = re.compile(r"<<'?(\w+)'?\n.*?^\1$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: where it is, its language, its text, and what the page says it prints.

    `shown` is the `text` block that follows it, or in a session with `$` what is not typed.
    """

    page: str
    line: int
    language: str
    text: str
    shown: str | None

    @property
    def title(self) -> str:
        """Its first line, for the name of a test."""
        return f"{self.page}:{self.line}: {self.text.partition(chr(10))[0]}"


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[Block]:
    """All blocks of a page but those that show an output, which belong to the one before."""
    text, found = read(page), list[Block]()
    for match in _BLOCK.finditer(text):
        language, body = match[1].strip(), match[2]
        if language == "text":
            assert found, f"{page}: an output without a command"
            found[-1] = found[-1]._replace(shown=body)
            continue
        line, shown = text.count("\n", 0, match.start()) + 1, None
        if body.startswith("$ "):
            lines = body.splitlines(keepends=True)
            body = "".join(own[2:] for own in lines if own.startswith("$ "))
            shown = "".join(own for own in lines if not own.startswith("$ "))
        found.append(Block(page, line, language, body, shown))
    return found


def commands(script: str) -> list[list[str]]:
    """The words of every command of a shell script, without what it reads from and writes to."""
    script = _HEREDOC.sub("", script).replace("\\\n", " ")
    found = list[list[str]]()
    for line in script.splitlines():
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split, words.commenters = True, ""
        found += _split(words)
    return found


def _split(words: Iterable[str]) -> Iterator[list[str]]:
    command, skipped = list[str](), False
    for word in words:
        if word in ("|", "||", "&&", ";"):
            yield command
            command = []
        elif word in ("<", ">", ">>", "<<"):
            skipped = True
        elif skipped:
            skipped = False
        else:
            command.append(word)
    if command:
        yield command


def prose(page: str) -> str:
    """A page without its blocks."""
    return _BLOCK.sub("", read(page))


def inline(page: str) -> list[str]:
    """The code in the lines of a page, each on one line."""
    return [" ".join(code.split()) for code in _INLINE.findall(prose(page))]


def links(page: str) -> list[str]:
    """What a page points at within the repository."""
    return [link for link in _LINK.findall(prose(page)) if "://" not in link]


def anchors(page: str) -> set[str]:
    """The headings of a page, as links name them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", own.lower()).replace(" ", "-") for own in headings}
