"""Asking the user which entity is meant.

A reply is a choice, a command, another question, or none of these; then it is said what can be
typed, and asked again.
"""

import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from ..agent.evidence.reply import printable
from ..agent.kg import KnowledgeGraph
from ..agent.kg.labels.names import normalise, one_line

if TYPE_CHECKING:
    from ..agent.records import Entity

_FEW = 2
"""So many words, or fewer, are more often a choice that was not understood than a question."""


class Changed(Exception):
    """The user chose nothing; `line` is to be answered instead, unless it is empty."""

    def __init__(self, line: str) -> None:
        super().__init__(line)
        self.line = line


def choose(
    asked: dict[str, Any],
    *,
    kg: KnowledgeGraph,
    console: Console,
    read: Callable[[str], str],
    command: Callable[[str], str],
    others: str,
) -> str:
    """The term of the entity that the user means.

    `asked` holds the question `ask`, the `options` and a `hint`. `read` reads a reply after a
    prompt. `command` gets a line that begins with a slash, and returns a hint or raises Changed.
    `others` says what may be typed instead of a choice. Raises Changed for another question, and
    what `read` and `command` raise.
    """
    from ..agent.linking.mention import picked
    from .render import entity_text

    options: Sequence[Entity] = asked["options"]
    choices = f"type 1 to {len(options)}, a part of a name or description, {others}"
    hint = asked["hint"] or choices
    while True:
        console.print(Text(printable(asked["ask"]), style="bold"))
        for number, option in enumerate(options, 1):
            console.print(Text(f"  {number}  ").append_text(entity_text(option)))
        console.print(Text(f"  {printable(hint)}", style="yellow"))
        reply = read("> ").strip()
        if reply.startswith("/"):
            hint = command(reply) or choices
            continue
        hint = choices
        if not reply:
            continue
        match picked(reply, options, asked["ask"]):
            case [option]:
                return option["term"]
            case []:
                if is_question(reply, options, kg):
                    raise Changed(reply)
                hint = f"that is none of them: {choices}"
            case matches:
                names = ", ".join(option["label"] for option in matches)
                hint = f"that fits {len(matches)} of them ({names}): {choices}"


def is_question(reply: str, options: Sequence["Entity"], kg: KnowledgeGraph) -> bool:
    """Whether a reply that fits no option is another question, and no choice that went wrong.

    A question ends in a question mark, has more than a few words, or names an entity of the graph
    that is no option. Raises ServiceError where the names cannot be looked up.
    """
    from ..agent.linking import LabelLinker

    words = normalise(reply)
    if not any(character.isalnum() for character in words):
        return False
    if "QUESTION MARK" in unicodedata.name(reply[-1], "") or len(words.split()) > _FEW:
        return True
    terms = {option["term"] for option in options}
    mentions = LabelLinker(kg.labels, languages=kg.profile.languages).link(one_line(reply))
    return any(
        terms.isdisjoint(candidate.term for candidate in mention.candidates) for mention in mentions
    )
