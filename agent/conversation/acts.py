"""What is said in the conversation itself: it asks for proof, or says what was meant, or greets.

The words for that are data of a language, `agent/languages/en.toml`.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...prompts import render
from ..kg.labels.names import normalise, one_line
from ..kg.terms import is_literal
from ..linking.mention import asking, picked
from ..llm.asking import Asker
from ..records import MentionRecord, Part, Turn
from .courtesies import Courtesy, conversation_words, courtesy_of
from .turns import last_about

_LONGEST_NAME = 6
"""Words of a line that may be the bare name of an entity."""


@dataclass(frozen=True)
class Act:
    """The act, and the question in full that it is about.

    A `card` asks for what the graph says of the only mention of the question, and for `all_facts`
    where some were shown; a `list` asks for the members that were counted or compared.
    """

    kind: Literal["why", "list", "choice", "card"] | Courtesy
    question: Part
    all_facts: bool = False


def may_be_act(question: str) -> bool:
    """Whether the first question of a conversation may ask the graph no query."""
    spoken = normalise(question)
    if courtesy_of(spoken) or _subject(spoken) != spoken:
        return True
    return not question.rstrip().endswith("?") and len(spoken.split()) <= _LONGEST_NAME


def act_of(question: str, mentions: Sequence[MentionRecord], turns: Sequence[Turn]) -> Act | None:
    """What a question does; None where it asks the graph a query."""
    words, spoken = conversation_words(), normalise(question)
    without_opener = _without_prefix(spoken, words["openers"])
    is_name = any(_names(mention, spoken) for mention in mentions)
    if not is_name and (courtesy := courtesy_of(spoken)):
        return Act(courtesy, Part(question=question, mentions=[]))
    if not mentions and without_opener in words["why"]:
        asked = Part(question=question, mentions=[])
        return Act("why", asked) if last_about(turns) else None
    if not mentions and turns and (act := _showing_more(question, without_opener, turns)):
        return act
    if turns:
        meant = _chosen(spoken, mentions, turns[-1])
        if meant is not None:
            return Act("card" if turns[-1].get("card") else "choice", meant)
    if _asks_for_card(question, mentions, turns):
        return Act("card", Part(question=question, mentions=list(mentions)))
    return None


def _showing_more(question: str, spoken: str, turns: Sequence[Turn]) -> Act | None:
    """What shows more of the last answer: the whole card, or the members of a number."""
    words, last = conversation_words(), turns[-1]
    wants_all = spoken in words["more"] or spoken in words["list"]
    if wants_all and last.get("card") and len(last["mentions"]) == 1:
        return Act("card", Part(question=question, mentions=last["mentions"]), all_facts=True)
    about = last_about(turns)
    if spoken in words["list"] and about is not None and about["answers"]:
        return Act("list", Part(question=question, mentions=[]))
    return None


def _asks_for_card(question: str, mentions: Sequence[MentionRecord], turns: Sequence[Turn]) -> bool:
    """Whether a text is the name of a thing, alone or after words that ask about it."""
    is_one = len(mentions) == 1 and not is_literal(mentions[0]["candidates"][0]["term"])
    return is_one and is_alone(question, mentions[0], turns)


def is_alone(question: str, mention: MentionRecord, turns: Sequence[Turn]) -> bool:
    """Whether a text is a mention, alone or after words that ask about it.

    *And Chile?* and *Chile?* follow up on the turn before: only after a card they ask for one.
    """
    words, whole = conversation_words(), normalise(question)
    spoken = _without_prefix(whole, words["openers"])
    subject = _subject(spoken)
    follows_up = subject == spoken and (spoken != whole or question.rstrip().endswith("?"))
    is_asked = not (turns and follows_up) or turns[-1].get("card", False)
    name = normalise(mention["text"])
    return is_asked and name in (subject, _without_prefix(subject, words["articles"]))


def class_asked_about(question: str) -> str:
    """What a text asks about in the words that are for classes too; empty for any other text."""
    words, spoken = conversation_words(), normalise(question)
    subject = _without_opening(_without_prefix(spoken, words["openers"]), words["about"])
    return _without_prefix(subject, words["articles"])


def _subject(spoken: str) -> str:
    """What a text is about, without the words that ask about it."""
    words = conversation_words()
    return _without_opening(spoken, [*words["about"], *words["about_things"]]) or spoken


def _without_opening(spoken: str, openings: Collection[str]) -> str:
    """What follows the longest of some openings; empty where a text begins with none."""
    found = [opening for opening in openings if spoken.startswith(f"{opening} ")]
    return spoken[len(max(found, key=len)) + 1 :] if found else ""


def _names(mention: MentionRecord, spoken: str) -> bool:
    """Whether some entity that a mention may mean is called exactly so."""
    return any(normalise(candidate["label"]) == spoken for candidate in mention["candidates"])


def _without_prefix(text: str, prefixes: Collection[str]) -> str:
    """A text without one of some words before it."""
    first, _, rest = text.partition(" ")
    return rest if rest and first in prefixes else text


def _chosen(spoken: str, mentions: Sequence[MentionRecord], last: Turn) -> Part | None:
    """The question that was asked back, settled by what names one of the options.

    What only says the name again, which several have, settles nothing: it is asked again.
    """
    open_ones = [mention for mention in last["mentions"] if mention["ambiguous"]]
    if last["status"] != "ambiguous" or not open_ones:
        return None
    asked, *_ = open_ones
    articles = conversation_words()["articles"]
    text, name = (
        _without_prefix(spoken, articles),
        _without_prefix(normalise(asked["text"]), articles),
    )
    chosen = picked(text, asked["candidates"], asking(name))
    if not chosen and [normalise(mention["text"]) for mention in mentions] == [text]:
        meant = mentions[0]["candidates"][0]["term"]
        chosen = [mention for mention in asked["candidates"] if mention["term"] == meant]
    if len(chosen) > 1 and text == name:
        return Part(question=last["asked"], mentions=last["mentions"])
    if len(chosen) != 1:
        return None
    settled: MentionRecord = {**asked, "ambiguous": False, "candidates": chosen}
    others = [settled if mention is asked else mention for mention in last["mentions"]]
    return Part(question=last["asked"], mentions=others)


_MOST_TURNS_SHOWN = 6
"""Earlier questions that a chat LLM is shown, to put a question in full: the last ones."""
_MOST_NAMES = 20
_LONGEST = 500
_LABEL = re.compile(r"^(?:\W|\d+[.)])*(?:(?:\w+ ){0,3}\w+:)?\s*")
"""A mark of a list, and a label of a few words, before the question."""


def rewritten(
    asker: Asker, question: str, turns: Sequence[Turn], prompts: Path | None = None
) -> str | None:
    """The question in full; None where the reply cannot be read, or changes nothing.

    Raises UnansweredError.
    """
    earlier = [
        {
            "asked": one_line(turn["asked"]),
            "answers": [one_line(answer["label"]) for answer in turn["answers"][:_MOST_NAMES]],
        }
        for turn in turns[-_MOST_TURNS_SHOWN:]
    ]
    prompt = render("conversation/rewrite.jinja", prompts, question=question, earlier=earlier)
    full = asker.read(prompt, read_question)
    return None if full is None or full == question else full


def read_question(reply: str) -> str | None:
    """The question in a reply, whatever stands around it; None where there is none."""
    lines = [line.strip() for line in reply.splitlines() if line.strip().strip("`")]
    questions = [line for line in lines if line.rstrip(" \"'”*`").endswith("?")] or lines[:1]
    for line in questions:
        text = _LABEL.sub("", line).strip(" \"'“”*`")
        if text and len(text) <= _LONGEST and re.search(r"\w", text):
            return text
    return None
