"""From the turns of a conversation to what a query of the next question may begin at."""

from collections.abc import Sequence
from typing import Any, cast

from ..answers.candidates import path_of
from ..answers.class_words import MOST_MEMBERS, members_of
from ..kg import KnowledgeGraph
from ..kg.terms import Term, is_literal
from ..query.prompt import EarlierQuestion, Numbered
from ..query.question import Before, Proof, mentions_of
from ..query.tree import Last, read_query, refers_back
from ..query.values import value_of
from ..records import SILENT, MentionRecord, Named, Turn
from .alone import FOLLOWS, pointing_word, points_at_one, stands_alone
from .earlier import start_of, steps_of
from .turns import MOST_CHAINS, last_about, last_answered

_MAY_POINT = 0.5
"""The same as `FOLLOWS` for a question with a word that points at what came before."""


def before_of(kg: KnowledgeGraph, turns: Sequence[Turn], pointing: str = "") -> Before:
    """The last question that was about something, its topics, and the last answers.

    Nothing came before where the last question was not understood and named nothing: nobody knows
    what *it* is after that. One that pointed at what came before it leaves that, so that it can be
    put in other words; but of several answers it may have meant one, and nobody knows which, where
    the word `pointing` at it is *it*. What a card is about, or a question without an answer, is
    what is talked about from there on: mostly it stands for the answers too, of which there are
    none. After the card of a class the answers are its members.
    """
    settled = _since_the_last_break(turns)
    about, answered_turn = last_about(settled), last_answered(settled)
    if about is None:
        return Before()
    text, linked = _last_full_question(settled, about)
    mentions = mentions_of(text, linked)
    topics = tuple(topic["term"] for topic in _topics(settled, about))
    if about.get("card") and not _named_entities(about) and (members := _members(kg, topics)):
        asked = EarlierQuestion(answers=_class(kg, tuple(members)), many=len(members) > 1)
        return Before(asked, answers=members, cut=len(members) >= MOST_MEMBERS)
    answers, answers_by_entity = dict[Term, Proof](), dict[Term, Proof]()
    if about.get("card") or (about["status"] in SILENT and not _goes_on(about)):
        topics, answered_turn = _named_entities(about) or topics, None
        # Where it was read, though not surely, its answers are not the topics themselves.
        answers = {} if about["status"] == "unsure" else dict.fromkeys(topics, ())
    elif answered_turn is not None:
        answers_by_entity = _things_of(answered_turn)
        values = {answer["term"]: steps_of(answer) for answer in answered_turn["answers"]}
        answers = answers_by_entity or values
    if points_at_one(pointing) and len(answers) > 1 and _may_mean_one(turns, about):
        return Before()
    asked = EarlierQuestion(
        topics=_class(kg, topics),
        answers=_class(kg, tuple(answers)),
        many=len(answers) > 1,
        question=text,
        mentions=mentions.numbered,
    )
    is_cut = answered_turn is not None and (
        answered_turn["cut"] or len(answers_by_entity) >= MOST_CHAINS
    )
    reading = "" if turns[-1]["status"] in SILENT else turns[-1].get("reading", "")
    is_counted = bool(reading) and (turns[-1].get("query") or {}).get("answer") == "count"
    return Before(asked, mentions, topics, answers, is_cut, reading, is_counted)


def _things_of(turn: Turn) -> dict[Term, Proof]:
    """What the answers of a turn are values of, where each of several things has its own.

    After *what are their populations?*, *they* are the countries still. Values that things share
    may be what is meant themselves.
    """
    things = dict[Term, Proof]()
    if all(is_literal(answer["term"]) for answer in turn["answers"]):
        for chain in (chain for answer in turn["answers"] for chain in answer["chains"] if chain):
            things.setdefault(start_of(chain[-1:]), path_of(start_of(chain), chain).steps[:-1])
    return things if len(things) == len(turn["answers"]) > 1 else {}


def _members(kg: KnowledgeGraph, classes: Sequence[Term]) -> dict[Term, Proof]:
    """The members of what a card is about, where that is a class."""
    return {term: proof for one in classes for term, proof in members_of(kg, one).items()}


def _since_the_last_break(turns: Sequence[Turn]) -> list[Turn]:
    """The turns that are about something, after the last one that broke with what came before."""
    settled = list[Turn]()
    for turn in turns:
        if turn["status"] == "ambiguous":
            continue
        if _is_about(turn):
            settled.append(turn)
        elif not _goes_on(turn):
            settled.clear()
    return settled


def _may_mean_one(turns: Sequence[Turn], about: Turn) -> bool:
    """Whether a question without an answer, since the last answers, may have meant one of them."""
    return any(
        turn["number"] > about["number"]
        and turn["status"] in SILENT
        and not points_at_one(pointing_word(turn["asked"], _numbered(turn)))
        for turn in turns
    )


def _is_about(turn: Turn) -> bool:
    """Whether a turn was answered, or is about a thing; a class alone is none."""
    return turn["status"] not in SILENT or any(topic["kind"] for topic in turn["topics"])


def _goes_on(turn: Turn) -> bool:
    """Whether a question was about what came before it, by its words."""
    text, mentions = turn["asked"], _numbered(turn)
    likely_alone = stands_alone(text, mentions)
    points = bool(pointing_word(text, mentions))
    return likely_alone < FOLLOWS or (points and likely_alone < _MAY_POINT)


def _numbered(turn: Turn) -> tuple[Numbered, ...]:
    """What the question of a turn names, as readers take it."""
    return mentions_of(turn["asked"], _linked(turn)).numbered


def _topics(turns: Sequence[Turn], about: Turn) -> Sequence[Named]:
    """What a turn was about; of one that begins at what came before it, that.

    One that chose an extreme of the answers before it, as *which of them is the largest?* does, was
    about that.
    """
    for turn in reversed([turn for turn in turns if turn["number"] <= about["number"]]):
        tree = turn.get("query")
        if turn["topics"] or tree is None or not refers_back(query := read_query(tree)):
            return turn["topics"]
        is_of_answers = query.start == Last(last="answers") and not query.steps
        if turn["answers"] and is_of_answers and query.extreme and query.answer == "list":
            return turn["answers"]
    return []


def _named_entities(turn: Turn) -> tuple[Term, ...]:
    """The things that a question itself names; a class is none."""
    best = (mention["candidates"][0] for mention in _linked(turn))
    return tuple(dict.fromkeys(entity["term"] for entity in best if entity["kind"]))


def _last_full_question(turns: Sequence[Turn], about: Turn) -> tuple[str, list[MentionRecord]]:
    """The last question that says what it asks, with its names.

    *How many?* says nothing: it names nothing. *And Chile?* asks what the turn before asked, of
    another thing: it is told in the words of the first of such turns, with its own names. One that
    was not answered is none of them: nobody knows whether its words ask that. A query that was
    given has no words of a user, and nothing is told of it.
    """
    saying = [turn for turn in turns if turn.get("given") or (turn["alone"] and _linked(turn))]
    if saying and saying[-1].get("given"):
        return "", []
    named = [turn for turn in saying if not turn.get("given")]
    if not named:
        return about["asked"], _linked(about)
    *earlier, last = named
    full_turn, names, query = last, _linked(last), _outline(last.get("query"))
    for turn in reversed(earlier):
        if query is None or turn["status"] in SILENT or _outline(turn.get("query")) != query:
            break
        if len(_linked(turn)) == len(names):
            full_turn = turn
    return _renamed(full_turn["asked"], _linked(full_turn), names)


def _renamed(
    text: str, mentions: Sequence[MentionRecord], names: Sequence[MentionRecord]
) -> tuple[str, list[MentionRecord]]:
    """A question with other names in the places of its own."""
    renamed, end, records = "", 0, list[MentionRecord]()
    pairs = zip(sorted(mentions, key=lambda mention: mention["start"]), names, strict=True)
    for mention, name in pairs:
        renamed += text[end : mention["start"]]
        start = len(renamed)
        renamed, end = renamed + name["text"], mention["end"]
        records.append({**name, "start": start, "end": len(renamed)})
    return renamed + text[end:], records


def _outline(tree: Any) -> Any:
    """A query without the numbers of its mentions; None stays."""
    match tree:
        case dict():
            fields = cast("dict[str, Any]", tree)
            return {
                name: 0 if name == "mention" else _outline(value) for name, value in fields.items()
            }
        case [*several]:
            return [0 if isinstance(value, int) else _outline(value) for value in several]
        case _:
            return tree


def _linked(turn: Turn) -> list[MentionRecord]:
    return [mention for mention in turn["mentions"] if mention["candidates"]]


def _class(kg: KnowledgeGraph, terms: Sequence[Term]) -> str:
    """The class that most of some terms have, or the kind of value that they are."""
    if not terms:
        return ""
    things = [term for term in terms if not is_literal(term)]
    kinds = [info.kind for info in kg.labels.describe(things) if info.kind]
    kinds += map(_kind_of_value, filter(is_literal, terms))
    return max(dict.fromkeys(kinds), key=kinds.count) if kinds else "entity"


def _kind_of_value(term: Term) -> str:
    value = value_of(term)
    if value is None:
        return "text"
    return "date" if value.unit == "date" else "number"
