"""Short words that ask the graph nothing: greetings, farewells, and what takes one of some offers.

The words are data of a language, `agent/languages/en.toml`. Nothing heavy is imported here, since
the chat asks it before a question.
"""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from ..languages import language_words

Courtesy = Literal["greetings", "thanks", "help", "yes", "no"]
"""What asks the graph nothing: it is answered with what may be asked, or in a line."""
_MOST_DIGITS = 4
_COURTESIES: tuple[Courtesy, ...] = get_args(Courtesy)


def courtesy_of(spoken: str) -> Courtesy | None:
    """Which courtesy a normalised text is, if it is one."""
    words = conversation_words()
    if not any(map(str.isalnum, spoken)):
        return "help"
    in_full = " ".join(words["short"].get(word, word) for word in spoken.split())
    return next((kind for kind in _COURTESIES if in_full in words[kind]), None)


def leaves(spoken: str) -> bool:
    """Whether a normalised text ends the conversation, be it with thanks."""
    farewells = (
        word for word in conversation_words()["leave"] if f" {spoken}".endswith(f" {word}")
    )
    return any(
        not (rest := spoken.removesuffix(word).strip())
        or courtesy_of(rest) in ("greetings", "thanks")
        for word in farewells
    )


def place_of(spoken: str) -> int | None:
    """The place from 1 that a normalised text takes of what is offered.

    A plain yes takes the first; 0 takes none. None for any other text.
    """
    words = conversation_words()
    if spoken in words["yes"]:
        return 1
    if spoken in words["no"]:
        return 0
    openings = (opening for opening in words["before_places"] if spoken.startswith(f"{opening} "))
    ordinal = spoken.removeprefix(max(openings, key=len, default="")).strip()
    ordinal = ordinal.removesuffix(f" {words['of_places']}")
    if ordinal in words["places"]:
        return words["places"].index(ordinal) + 1
    is_number = ordinal.isascii() and ordinal.isdecimal() and len(ordinal) <= _MOST_DIGITS
    return int(ordinal) or None if is_number else None


def conversation_words() -> Mapping[str, Any]:
    """What is said in a conversation itself, in English."""
    return language_words()["conversation"]
