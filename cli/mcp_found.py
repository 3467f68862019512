"""What came of a question or a query: a page of its answers, with the triples that prove them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult
from typing_extensions import TypedDict

from ..agent.errors import InputError
from ..agent.records import StepRecord
from .mcp_names import Spelling, Triple
from .mcp_results import LONGEST, Match, Named, cut, described_as, result, safe, spelled

if TYPE_CHECKING:
    from ..agent.records import Answer, Entity
    from ..agent.state import State

MOST_TRIPLES = 60
"""Triples on a page of answers; what proves the rest is given one answer at a time."""


class Proved(Named):
    """An answer, and triples of the graph that prove it, each touching one before it.

    `more_triples` are so many of the same proof, which `proof_of` shows.
    """

    proof: list[Triple]
    more_triples: int


class Found(TypedDict):
    """What came of a question: some of its answers, and what was computed of all of them.

    `triples` are what a computed answer rests on beside the answers' own, and `more_triples` so
    many more. `query` with its `mentions` is how the question was read, for the tool `query`, and
    `reading` the same in words. `candidates` are what an ambiguous name may mean.
    """

    status: str
    computed: str
    answers: list[Proved]
    total: int
    page: int
    more: bool
    triples: list[Triple]
    more_triples: int
    rows: list[list[str | int | float | None]]
    reading: str
    query: dict[str, Any] | None
    mentions: list[dict[str, str]]
    candidates: list[Match]
    confidence: float
    notes: list[str]


NO_REST = "What was computed rests on the proofs of the answers only: proof_of 1 has the first."


@dataclass(frozen=True)
class Page:
    """Which part of a result is shown: so many answers, or triples of the proof of one.

    `proof_of` is the number of that answer, or 0 for what was compared or computed.
    """

    number: int
    limit: int
    proof_of: int | None = None

    @property
    def first(self) -> int:
        """The first that is on it, from 0."""
        return (self.number - 1) * self.limit

    @property
    def last(self) -> int:
        """The first that is after it."""
        return self.number * self.limit

    def of(self, what: str, total: int) -> list[str]:
        """A note on which part of so many it is; none where it is all of them."""
        first, last = self.first + 1, min(self.last, total)
        if self.number == 1 and last == total:
            return []
        if first > total:
            are = f"{what.removesuffix('s')} is" if total == 1 else f"{what} are"
            return [f"there is no page {self.number}: {total:,} {are} listed"]
        following = f"; page {self.number + 1} has the next" if last < total else ""
        return [f"{what} {first:,} to {last:,} of the {total:,} listed{following}"]


def page_result(
    state: "State", page: Page, spell: Spelling, mentions: object = None
) -> CallToolResult:
    """A page of a final state. `mentions` are those of a given query, as they were given."""
    structured = _proof_page(state, page, spell) if page.proof_of is not None else None
    structured = structured or _answers_page(state, page, spell)
    structured["mentions"] = _mentions(state, mentions)
    return result(_lines(state, structured, page), structured)


def _answers_page(state: "State", page: Page, spell: Spelling) -> Found:
    answers, computed = state.get("answers", []), state.get("result")
    rows: list[Any] = (computed or {}).get("rows", [])
    if computed and computed["kind"] == "table":
        on_page = {row[0]["term"] for row in rows[page.first : page.last]}
        shown = [answer for answer in answers if answer["term"] in on_page]
        notes, total = page.of("rows", len(rows)), len(rows)
    else:
        shown = answers[page.first : page.last]
        notes, total = page.of("answers", len(answers)), max(len(answers), len(rows))
    proofs, rest = [_proof(state, answer) for answer in shown], _rest(state)
    parts = _first_triples(proofs)
    left = MOST_TRIPLES - sum(map(len, parts))
    folded = bool(rest) and computed is not None and computed["kind"] == "extreme"
    triples = [] if folded else rest[:left]
    spelled_parts = _each_spelled(spell, [*parts, triples])
    return _of_state(
        state,
        computed=_computed(state, rows[page.first : page.last]),
        answers=[
            _proved(*of_answer) for of_answer in zip(shown, spelled_parts, proofs, strict=False)
        ],
        total=total,
        page=page.number,
        more=total > page.last,
        triples=spelled_parts[-1],
        more_triples=len(rest) - len(triples),
        rows=[[_cell(cell) for cell in row] for row in rows[page.first : page.last]],
        notes=notes,
    )


def _first_triples(proofs: Sequence[list[StepRecord]]) -> list[list[StepRecord]]:
    """Of each proof what a page has room for: all or nothing of it, and of the first a part."""
    parts, left = list[list[StepRecord]](), MOST_TRIPLES
    for number, proof in enumerate(proofs):
        part = proof if len(proof) <= left else proof[: left if number == 0 else 0]
        parts.append(part)
        left -= len(part)
    return parts


def _proof_page(state: "State", page: Page, spell: Spelling) -> Found:
    """A page of the triples that prove one answer, or that all was compared with."""
    answers, number = state.get("answers", []), page.proof_of or 0
    if number > len(answers):
        raise InputError(f"there is no answer {number}: there are {len(answers)}", "count from 1")
    proof = _proof(state, answers[number - 1]) if number else _rest(state)
    part = spell(proof[page.first : page.last])
    shown = answers[number - 1 : number] if number else []
    return _of_state(
        state,
        computed="",
        answers=[_proved(answer, part, proof) for answer in shown],
        total=len(proof),
        page=page.number,
        more=len(proof) > page.last,
        triples=[] if number else part,
        more_triples=0 if number else len(proof) - len(part),
        rows=[],
        notes=page.of("triples", len(proof)),
    )


def _proved(answer: "Answer", shown: list[Triple], proof: Sequence[StepRecord]) -> Proved:
    """An answer with what is shown of its proof."""
    label, more = cut(answer["label"]), len(proof) - len(shown)
    return Proved(term=answer["term"], label=label, proof=shown, more_triples=more)


def _of_state(state: "State", *, notes: list[str], **shown: Any) -> Found:
    return Found(
        status=state.get("status", "abstained"),
        **shown,
        reading=state.get("reading", ""),
        query=state.get("query_tree"),
        mentions=[],
        candidates=[_match(entity) for entity in _candidates(state)],
        confidence=round(state.get("confidence", 0.0), 3),
        notes=[*state.get("notes", []), *notes],
    )


def _each_spelled(spell: Spelling, parts: Sequence[list[StepRecord]]) -> list[list[Triple]]:
    every = iter(spell([step for part in parts for step in part]))
    return [[next(every) for _ in part] for part in parts]


def _proof(state: "State", answer: "Answer") -> list[StepRecord]:
    """The triples that prove an answer, each once, and each touching one before it.

    Of a query all of its walks do; what a model walked is proved by one of its paths. The winner
    of a comparison is proved by its values too.
    """
    is_query = state.get("query_tree") is not None
    chains = answer["chains"] if is_query else answer["chains"][:1]
    steps = [step for chain in chains for step in chain]
    computed = state.get("result")
    if computed and computed["kind"] == "extreme":
        steps += _reached(computed["triples"], answer["term"])
    return _connected(_supported(steps))


def _rest(state: "State") -> list[StepRecord]:
    """The triples that a computed answer rests on beside the proofs of its answers."""
    computed = state.get("result")
    if not computed:
        return []
    steps = [step for answer in state.get("answers", []) for step in _proof(state, answer)]
    proved = {_key(step) for step in steps} if computed["kind"] == "extreme" else set[Any]()
    return [step for step in _supported(computed["triples"]) if _key(step) not in proved]


def _supported(steps: Iterable[StepRecord]) -> list[StepRecord]:
    held = (step for step in steps if step["verdict"] == "supported")
    return list({_key(step): step for step in held}.values())


def _key(step: StepRecord) -> tuple[str, str, str]:
    return step["head"]["term"], step["relation"]["term"], step["tail"]["term"]


def _ends(step: StepRecord) -> tuple[str, str]:
    """Where a step leaves, and what it reaches."""
    head, tail = step["head"]["term"], step["tail"]["term"]
    return (tail, head) if step["inverse"] else (head, tail)


def _reached(steps: Sequence[StepRecord], start: str) -> list[StepRecord]:
    """The steps that walks from a term pass, in their order."""
    known, taken = {start}, list[StepRecord]()
    for step in steps:
        source, target = _ends(step)
        if source in known:
            known.add(target)
            taken.append(step)
    return taken


def _connected(steps: list[StepRecord]) -> list[StepRecord]:
    """The same in an order in which each touches one before it, as far as there is one."""
    waiting, ordered, touched = list(steps), list[StepRecord](), set[str]()
    while waiting:
        following = next((s for s in waiting if touched.intersection(_ends(s))), waiting[0])
        waiting.remove(following)
        ordered.append(following)
        touched.update(_ends(following))
    return ordered


def _computed(state: "State", rows: Sequence[Any]) -> str:
    """What was computed; of a table the rows of the page."""
    from ..agent.answers.computed import row_texts

    computed = state.get("result")
    if not computed:
        return ""
    if computed["kind"] == "table" and computed.get("rows"):
        units = computed.get("units", [])
        return "; ".join(" | ".join(map(cut, row_texts(row, units))) for row in rows)
    return cut(computed["text"], 10 * LONGEST)


def _cell(cell: Any) -> str | int | float | None:
    return cut(cell["label"]) if isinstance(cell, dict) else cell


def _candidates(state: "State") -> "Iterator[Entity]":
    if state.get("status") == "ambiguous":
        for mention in state.get("mentions", []):
            if mention["ambiguous"]:
                yield from mention["candidates"]


def _match(entity: "Entity") -> Match:
    return Match(
        term=entity["term"],
        label=cut(entity["label"]),
        kind=entity["kind"],
        description=cut(entity["description"]),
        score=entity["score"],
    )


def _mentions(state: "State", given: object) -> list[dict[str, str]]:
    """The mentions of the query, as the tool `query` takes them."""
    if isinstance(given, list):
        return [{"text": mention} if isinstance(mention, str) else mention for mention in given]
    tree = state.get("query_tree")
    for reading in state.get("readings", []):
        if reading["query"].get("query") == tree:
            return reading["query"].get("mentions", [])
    return [
        {"text": mention["text"], "term": mention["candidates"][0]["term"]}
        for mention in state.get("mentions", [])
        if tree is not None and mention["candidates"]
    ]


def _lines(state: "State", shown: Found, page: Page) -> list[str]:
    """A page in words: what came of it, how it was read, the triples, and the notes."""
    from ..agent.answers.judging import ambiguity, other_notes, unread_line
    from ..agent.kg.labels.names import one_line

    lines = [one_line(unread_line(state))] if unread_line(state) else []
    lines.append(one_line(_outcome(state, shown, page)))
    lines[0] = f"{_doubt(state)}{lines[0]}"
    computed = state.get("result")
    if computed and page.proof_of is None:
        lines.append(one_line(computed["how"]))
    if (state.get("answers") or computed) and (reading := state.get("reading")):
        lines.append(f"Read as: {one_line(reading)}")
    lines += _proof_lines(state, shown, page)
    ambiguities = {ambiguity(mention) for mention in state.get("mentions", [])}
    if shown["candidates"]:
        lines.append("Ask again with the term of the one that is meant in its place, in brackets:")
        lines += (f"[{match['term']}]: {described_as(match)}" for match in shown["candidates"])
    notes = [*other_notes(state), *shown["notes"][len(state.get("notes", [])) :]]
    hidden = ambiguities if shown["candidates"] else set[str]()
    return [*lines, *(f"Note: {one_line(note)}" for note in notes if note not in hidden)]


def _outcome(state: "State", shown: Found, page: Page) -> str:
    total, past = shown["total"], page.first >= shown["total"]
    if page.proof_of == 0:
        return "What was compared or computed:" if total else NO_REST
    if past and total:
        return f"There is no page {page.number}."
    if shown["computed"]:
        return shown["computed"]
    if not state.get("answers"):
        return "".join(message.text for message in state.get("messages", [])[-1:])
    return "; ".join(answer["label"] for answer in shown["answers"])


def _doubt(state: "State") -> str:
    """The status and the confidence, where a question is not plainly answered."""
    from ..agent.answers.judging import SURE

    status, confidence = state.get("status", "abstained"), state.get("confidence", 0.0)
    of = f" ({confidence:.2f})" if round(confidence, 2) else ""
    if status in ("answered", "introduced"):
        unsure = status == "answered" and state.get("answers") and confidence < SURE
        return f"answered, but not surely{of}: " if unsure else ""
    return f"{status}{of}: "


def _proof_lines(state: "State", shown: Found, page: Page) -> list[str]:
    """The triples, each once, and how many more there are of which proof."""
    every = [triple for answer in shown["answers"] for triple in answer["proof"]]
    every += shown["triples"]
    lines = list(dict.fromkeys(map(spelled, every)))
    if lines:
        lines.insert(0, "Verified in the graph (head -> relation -> tail):")
    if page.proof_of is not None:
        return lines
    first = _number_of_first(state, shown)
    cut_off = [
        (n, answer) for n, answer in enumerate(shown["answers"], first) if answer["more_triples"]
    ]
    if cut_off:
        number, answer = cut_off[0]
        more, others = sum(answer["more_triples"] for _, answer in cut_off), len(cut_off) - 1
        of = f"of {safe(answer['label'])}" + (f" and {others:,} other answers" if others else "")
        lines.append(f"and {more:,} more triples of the proof {of}: see proof_of {number}")
    if more := shown["more_triples"]:
        computed = state.get("result")
        is_extreme = computed is not None and computed["kind"] == "extreme"
        rest = f"compared with {_others(state):,} others" if is_extreme else f"and {more:,} more"
        lines.append(f"{rest}: see proof_of 0")
    return lines


def _number_of_first(state: "State", shown: Found) -> int:
    terms = [answer["term"] for answer in state.get("answers", [])]
    return terms.index(shown["answers"][0]["term"]) + 1 if shown["answers"] else 1


def _others(state: "State") -> int:
    """How many an extreme was compared with."""
    ends = [_ends(step) for step in _rest(state)]
    reached = {target for _, target in ends}
    return len({source for source, _ in ends if source not in reached})
