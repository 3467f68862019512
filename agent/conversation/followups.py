"""What a follow-up question means after the earlier turns, by rules for English.

A rule that is not certain leaves the question alone. Rules read masked questions only.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from ..kg.names import normalise
from ..state import Entity, MentionRecord, Turn
from .masking import MARK, Masked, kind_of, masked, settled
from .phrases import BE, DO, HAVE, HOW_MANY
from .superlatives import superlative_pattern
from .turns import last_about, last_answered, last_set
from .wording import same_noun

_HE = r"he|she|it|him|her|they|them"
_ITS = r"its|his|her|their"
_PRONOUN = re.compile(
    rf"\b(?P<whose>{_ITS})\b(?=\s+[\w-])|\b(?P<who>{_HE})\b"
    r"|\b(?:that|this|the same|those|these)\s+(?P<kind>[^\W\d_]+)\b"
    r"|\b(?:those|these|that)(?=\W*$)"
    r"|(?P<there>\bin there\b|\bthere\b)",
    re.I,
)
_MANY = re.compile(r"(?:they|them|their|those|these)\b", re.I)
_EXPLETIVE = re.compile(
    r"\bis it (?:true|false|right|correct|the case|possible)\b|\bwhat time is it\b"
    r"|\b(?:is|are|was|were) there\b|\bthere (?:is|are|was|were)\b|^there\b",
    re.I,
)
_ABOUT = r"(?:and|but|or|so|then|ok(?:ay)?|(?:and )?(?:what|how) about)\b,?"
_ANOTHER = re.compile(
    rf"(?:{_ABOUT}\s+)(?:(?:for|in|of|with|from)\s+)?(?:the\s+)?({MARK})\W*", re.I
)
_SUPERLATIVE = re.compile(
    rf"(?:{_ABOUT}\s+)?(?:(?:which|what) (?:one )?is\s+)?the\s+({superlative_pattern()})"
    r"(?:\s+ones?)?\W*",
    re.I,
)
_ITS_OWN = re.compile(
    rf"(?:{_ABOUT}\s+)?(?P<whose>{_ITS})\s+(?P<what>[\w' -]+?)\W*"
    rf"|{_ABOUT}\s+the\s+(?P<bare>[\w' -]+?)\W*",
    re.I,
)
_SAME = re.compile(r"\b(?:same|others?|first|last|former|latter|previous)\b", re.I)
_SOME_OF = re.compile(
    r"\b(?:which|what|who|any|some|all|none|most|one|ones|many)\s+(?:of|among)\s+$", re.I
)
_LEAD = re.compile(r"^(?:(?:and|but|so|then|ok(?:ay)?)\b,?\s*)+", re.I)
_OBJECT = re.compile(rf"\s(?!(?:{BE}|{DO}|{HAVE}|can|could|will|would)\s)[^\W\d_]+\s+$", re.I)
"""Before a pronoun that somebody does something to: a word that is no auxiliary verb."""
_NO_SUBJECT = re.compile(
    r"\W*(?:$|(?:as|in|on|at|for|of|with|from|by|and|or|also|too|officially|today|now)\b)", re.I
)
"""What follows a pronoun that does nothing itself."""
_IS_DONE = re.compile(rf"\b(?:{BE}) it (?:\w+ed|spoken|known|written|made|found|sung|worn)\b", re.I)
_WHY = re.compile(
    r"(?:but |and )?why(?: (?:is (?:that|this|it)|so|not))?|how (?:so|come)"
    r"|how do you know(?: (?:that|this|it))?|(?:can you )?(?:prove|explain) (?:it|that|this)"
    r"|says who|are you sure",
    re.I,
)
Answered: TypeAlias = Callable[[Turn], list[Entity]]
"""The answers of a turn that are entities and no values, with their classes.

The score is 0 of those of which the graph says nothing itself, so that a pronoun means another.
"""

_LONGEST = 4
"""Words of what is asked of `it`, at most."""
_MOST_ASKED = 50
"""Members of an answer set of each of which a follow-up is asked."""


@dataclass(frozen=True)
class Followed:
    """A question without references: one wording, or one for each entity that may be meant.

    With `each`, all of them are meant, else the first that has an answer.
    """

    wordings: tuple[Masked, ...]
    kind: Literal["alone", "why", "each"] = "alone"
    left_out: int = 0

    @property
    def plain(self) -> Masked:
        """The first wording."""
        return self.wordings[0]


def act_of(question: Masked, turns: Sequence[Turn]) -> Followed | None:
    """What a question does in the conversation itself: it asks for proof, or replies.

    None where it asks the graph something.
    """
    if not turns:
        return None
    if _WHY.fullmatch(question.text.strip().strip(" ?!.")):
        return Followed((question,), "why") if last_about(turns) else None
    return _chosen(question, turns[-1])


def follow(question: Masked, turns: Sequence[Turn], answered: Answered) -> Followed | None:
    """What a question means after earlier turns; None where it refers to none of them."""
    said = question.text.strip()
    if not turns:
        return None
    bare = said.strip(" ?!.")
    if _WHY.fullmatch(bare):
        return Followed((question,), "why") if last_about(turns) else None
    if HOW_MANY.fullmatch(_LEAD.sub("", bare)):
        return None
    return (
        _chosen(question, turns[-1])
        or _other_end(question, turns[-1])
        or _another(question, turns)
        or _its_own(question, turns, answered)
        or _pronouns(question, turns, answered)
    )


def _chosen(question: Masked, last: Turn) -> Followed | None:
    """The reply to a question that asked back: a number, a name, a class or a description."""
    open_ones = [m for m in last["mentions"] if m["ambiguous"]]
    if last["status"] != "ambiguous" or not open_ones:
        return None
    mention = open_ones[0]
    options = mention["candidates"]
    names = question.within(question.text)
    said = normalise(question.unmasked(question.text)["question"]).removeprefix("the ")
    chosen = [
        option
        for number, option in enumerate(options, 1)
        if said == str(number)
        or said in (normalise(option["label"]), normalise(option["description"]))
        or (option["kind"] and same_noun(said, option["kind"]))
    ]
    if not chosen and names and len(question.text.strip(" ?!.")) == 1:
        terms = {c["term"] for c in names[0]["candidates"][:1]}
        chosen = [option for option in options if option["term"] in terms]
    if len(chosen) != 1:
        return None
    settled_one: MentionRecord = {**mention, "ambiguous": False, "candidates": chosen}
    others = [settled_one if m is mention else m for m in last["mentions"]]
    return Followed((masked(last["asked"], others),))


def _other_end(question: Masked, last: Turn) -> Followed | None:
    """`And the lowest?`: the last question again, with another superlative in its place."""
    match = _SUPERLATIVE.fullmatch(question.text.strip())
    earlier = masked(last["asked"], last["mentions"])
    found = list(re.finditer(rf"\b(?:{superlative_pattern()})\b", earlier.text, re.I))
    if match is None or len(found) != 1:
        return None
    start, end = found[0].span()
    text = f"{earlier.text[:start]}{match[1]}{earlier.text[end:]}"
    return Followed((replace(earlier, text=text),))


def _another(question: Masked, turns: Sequence[Turn]) -> Followed | None:
    """`And France?`: the last question again, with another entity in the place of its like."""
    match = _ANOTHER.fullmatch(question.text.strip())
    before = next((turn for turn in reversed(turns) if turn["alone"] and turn["mentions"]), None)
    if match is None or before is None:
        return None
    new = question.at(match[1])
    earlier = masked(before["asked"], before["mentions"])
    if not earlier.mentions:
        return None
    alike = [m for m in earlier.mentions if kind_of(m) == kind_of(new)]
    old = (alike or list(earlier.mentions))[-1]
    mentions = tuple(new if m is old else m for m in earlier.mentions)
    return Followed((replace(earlier, mentions=mentions),))


def _its_own(question: Masked, turns: Sequence[Turn], answered: Answered) -> Followed | None:
    """`And its currency?`, `what about the capital?`: a question in full."""
    match = _ITS_OWN.fullmatch(question.text.strip())
    if match is None or question.mentions:
        return None
    what = (match["what"] or match["bare"]).strip()
    if len(what.split()) > _LONGEST or _PRONOUN.search(what) or _SAME.search(what):
        return None
    meant = _meant(match["whose"] or "its", "", turns, answered)
    return _worded(question, meant, lambda mark: f"What is the {what} of {mark}?")


def _pronouns(question: Masked, turns: Sequence[Turn], answered: Answered) -> Followed | None:
    """Every pronoun of a question replaced by what the first one means."""
    text = question.text
    kept = [m.span() for m in _EXPLETIVE.finditer(text)]
    found = [
        match
        for match in _PRONOUN.finditer(text)
        if not any(start <= match.start() < end for start, end in kept)
        and _looks_back(text, match)
        and (not match["kind"] or _is_known(match["kind"], turns, answered))
    ]
    if not found:
        return None
    found = [match for match in found if match["there"]] or found
    first = found[0]
    it = first["who"] is not None and _is_object(text, first)
    meant = _meant(first[0], first["kind"] or "", turns, answered, last_first=it)

    def wording(mark: str) -> str:
        made, end = "", 0
        for match in found:
            made += text[end : match.start()]
            made += f"{mark}'s" if match["whose"] else mark
            if match["there"]:
                made = made[: -len(mark)] + f"in {mark}"
            end = match.end()
        return made + text[end:]

    return _worded(question, meant, wording)


def _looks_back(text: str, match: re.Match[str]) -> bool:
    """Whether a pronoun can mean nothing in its own question: no name before it, or it ends it."""
    if _SOME_OF.search(text[: match.start()]):
        return False
    named = re.search(MARK, text[: match.start()])
    return named is None or (not match["whose"] and not text[match.end() :].strip(" ?!."))


def _is_object(text: str, pronoun: re.Match[str]) -> bool:
    """Whether something is done to what a pronoun means: `which countries use it?`."""
    before, after = text[: pronoun.start()], text[pronoun.end() :]
    if _IS_DONE.search(text):
        return True
    return _OBJECT.search(f" {before}") is not None and _NO_SUBJECT.match(after) is not None


def _is_known(kind: str, turns: Sequence[Turn], answered: Answered) -> bool:
    """Whether an earlier turn is about something of this class."""
    about = (e for turn in turns for e in (*turn["topics"], *answered(turn)))
    return any(same_noun(kind, entity["kind"]) for entity in about)


@dataclass(frozen=True)
class _Meant:
    entities: list[Entity]
    each: bool


def _meant(
    pronoun: str,
    kind: str,
    turns: Sequence[Turn],
    answered: Answered,
    *,
    last_first: bool = False,
) -> _Meant:
    """Who is meant: all of a set, or the likeliest first: the last answer, then the last topic.

    An answer of which the graph says nothing itself, such as a currency, comes after the topic,
    unless the `last_first` is meant: what others do to it is said of them.
    """
    many = _MANY.match(pronoun) is not None or (bool(kind) and kind.endswith("s"))
    latest, about = (last_set if many else last_answered)(turns), last_about(turns)
    if many and latest is not None and latest.get("empty"):
        return _Meant([], True)
    answers = answered(latest) if latest else []
    topics = about["topics"] if about else []
    if kind:
        of_kind = [e for e in answers if same_noun(kind, e["kind"])]
        about_kind = [e for e in topics if same_noun(kind, e["kind"])]
        if not (of_kind or about_kind):
            earlier = [e for turn in reversed(turns) for e in turn["topics"]]
            about_kind = [e for e in earlier if same_noun(kind, e["kind"])][:1]
        answers, topics = of_kind, about_kind
    if many:
        return _Meant(answers or topics, True)
    single = answers if len(answers) == 1 else []
    order = [*single, *topics[-1:]]
    if not last_first:
        order.sort(key=lambda entity: -entity["score"])
    return _Meant(list({e["term"]: e for e in order}.values()), False)


def _worded(question: Masked, meant: _Meant, wording: Callable[[str], str]) -> Followed | None:
    if not meant.entities:
        return None
    wordings = list[Masked]()
    for entity in meant.entities[:_MOST_ASKED]:
        extended, mark = question.with_mention(settled(entity))
        wordings.append(replace(extended, text=wording(mark)))
    several = meant.each and len(wordings) > 1
    left_out = len(meant.entities) - len(wordings)
    return Followed(tuple(wordings), "each" if several else "alone", left_out)
