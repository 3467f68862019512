"""Questions with their queries in which names and numbers are left open, from text files.

A line is `QUESTION => QUERY`, the query as `agent/decoding/wire.py` spells it, without its tags:

    which rivers of {0:country} are longer than {1:number} (km|kilometres) \
=> <0><STEP>^flows through<WHERE>length in kilometres<GREATER><1>

    {0:country}    a mention of an entity of the class; {0:sea/ocean} of one of several
    {1:number}     a number that is compared, {1:text} and {1:letter} a text
    {nth}, {n}     a place such as `second`, or how many such as `three`; <nth> and <n> in the query
    (a|b|)         a choice; may nest

Before `||` stands what came before: `country > city*` for topics and answers, by class and with a
star where they are many, or `"QUESTION"`, the question before, whose mentions are numbered too.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from ...agent.errors import InputError
from ...agent.query.actions import Action, read_text

_SLOT = re.compile(r"\{(?:(\d+):([^{}]+)|(nth|n))\}")
_CHOICE = re.compile(r"\(([^()]*)\)")
_CLASSES = re.compile(r"([^>*]+)(?:>\s*([^>*]+?)(\*?))?")
VALUES = frozenset({"number", "text", "letter"})
"""What a slot may be that names no entity."""
_NO_CLASSES = frozenset({"", "entity", "number", "date", "text"})
"""What topics and answers before may be that are of no class."""
_STANDS_FOR = 2
"""The number by which a place or a first few is read before it is chosen."""


@dataclass(frozen=True)
class Slot:
    """What the mention of a number may be: an entity of one of some classes, or a kind of value."""

    number: int
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class Before:
    """What came before a question: classes of topics and answers, or the question itself."""

    topics: str = ""
    answers: str = ""
    many: bool = False
    question: str = ""


@dataclass(frozen=True)
class Skeleton:
    """A question with its query; `actions` name relations and classes by their labels.

    `ranked` is the action whose number is that of `{nth}` or `{n}`, if there is one.
    """

    text: str
    slots: tuple[Slot, ...]
    actions: tuple[Action, ...]
    before: Before | None = None
    ranked: int | None = None
    line: int = 0

    def worded(self, rng: Random) -> str:
        """The question with its choices made and its slots still open."""
        return chosen(self.text, rng)


def read_skeletons(file: Path) -> list[Skeleton]:
    """The skeletons of a file. Raises InputError, with the line, for what cannot be read."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read ({error})", "give a text file") from error
    return list(_skeletons(file, lines))


def check_names(
    file: Path,
    skeletons: Sequence[Skeleton],
    *,
    relations: Collection[str],
    classes: Collection[str],
    kinds: Collection[str],
) -> None:
    """Raise InputError, with the line, for a skeleton that names what a graph does not have.

    `kinds` are the classes that entities are told to be of.
    """
    for skeleton in skeletons:
        before = skeleton.before or Before()
        wanted = {kind for slot in skeleton.slots for kind in slot.kinds} - VALUES
        wanted |= {before.topics, before.answers} - _NO_CLASSES
        named = {action.name for action in skeleton.actions if action.kind == "class"} - {""}
        followed = {action.name for action in skeleton.actions if action.kind != "class"} - {""}
        unknown = [f"class {name!r}" for name in sorted((wanted - {*kinds}) | (named - {*classes}))]
        unknown += [f"relation {name!r}" for name in sorted(followed - {*relations})]
        if unknown:
            raise InputError(
                f"{file}:{skeleton.line}: the graph has no {unknown[0]}",
                "`groundwalk kg info` lists what there is",
            )


def chosen(text: str, rng: Random) -> str:
    """A text with one alternative of each of its choices."""
    while choice := _CHOICE.search(text):
        alternative = rng.choice(choice[1].split("|"))
        text = text[: choice.start()] + alternative + text[choice.end() :]
    return " ".join(text.split())


def slots_of(text: str) -> Iterator[re.Match[str]]:
    """The places of a text that are left open: number and kinds, or `nth` or `n`."""
    return _SLOT.finditer(text)


def _skeletons(file: Path, lines: Sequence[str]) -> Iterator[Skeleton]:
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            yield _skeleton(line, number)
        except (InputError, ValueError) as error:
            message = getattr(error, "message", error)
            raise InputError(f"{file}:{number}: {message}", "QUESTION => QUERY") from error


def _skeleton(line: str, number: int) -> Skeleton:
    question, arrow, query = line.rpartition("=>")
    if not arrow:
        raise ValueError("there is no => between question and query")
    context, bars, text = question.rpartition("||")
    before = _before(context.strip()) if bars else None
    query, ranked = query.strip(), None
    if rank := re.search("<(nth|n)>", query):
        ranked = len(read_text(f"<QUERY>{query[: rank.start()]}</QUERY>")) - 1
        query = query.replace(rank[0], f"<{_STANDS_FOR}>")
    everything = f"{text} {before.question}" if before else text
    slots = _slots(everything)
    if (ranked is not None) != bool(re.search(r"\{(?:nth|n)\}", everything)):
        raise ValueError("{nth} or {n} stands in question and query, or in neither")
    actions = read_text(f"<QUERY>{query}</QUERY>")
    return Skeleton(" ".join(text.split()), slots, actions, before, ranked, number)


def _slots(text: str) -> tuple[Slot, ...]:
    kinds_of = dict[int, tuple[str, ...]]()
    for slot in slots_of(text):
        if slot[1]:
            kinds = tuple(slot[2].split("/"))
            if kinds_of.setdefault(int(slot[1]), kinds) != kinds:
                raise ValueError(f"mention {slot[1]} is of two kinds")
    if set(kinds_of) != set(range(len(kinds_of))):
        raise ValueError("mentions are numbered from 0")
    if (open_ := len(re.findall(r"\{", text))) != sum(1 for _ in slots_of(text)):
        raise ValueError(f"one of {open_} braces opens no slot")
    return tuple(Slot(number, kinds_of[number]) for number in sorted(kinds_of))


def _before(context: str) -> Before:
    if context.startswith('"') and context.endswith('"'):
        return Before(question=context[1:-1])
    classes = _CLASSES.fullmatch(context)
    if classes is None:
        raise ValueError(f"what came before is TOPICS > ANSWERS, or a question: {context!r}")
    topics, answers, many = classes.groups()
    return Before(topics.strip(), (answers or "").strip(), bool(many))
