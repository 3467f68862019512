"""What the tools of the MCP server give back: pages as data, and the same in words for a model.

The words are names of the graph, made safe for a line, between words of ours.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NotRequired

from mcp.types import CallToolResult, TextContent
from typing_extensions import TypedDict

from .mcp_about import GraphPage

if TYPE_CHECKING:
    from ..agent.records import Answer, StepRecord
    from ..agent.state import State

LONGEST = 300
"""Characters of a name or value; of a longer one the rest is left out."""


class Named(TypedDict):
    """A term and the name that people read."""

    term: str
    label: str


class Proved(Named):
    """An answer, and the triples of the graph that prove it: head, relation and tail."""

    proof: list[list[str]]


class Found(TypedDict):
    """What came of a question: some of its answers, and what was computed of all of them.

    `triples` are those that a computed answer rests on; `query` is how the question was read, for
    the tool `query`, and `reading` the same in words.
    """

    status: str
    computed: str
    answers: list[Proved]
    total: int
    page: int
    more: bool
    triples: list[list[str]]
    rows: list[list[str | int | float | None]]
    reading: str
    query: dict[str, Any] | None
    confidence: float
    notes: list[str]


class Match(Named):
    """An entity that a name may mean, and how likely it is."""

    kind: str
    description: str
    score: float


class Matches(TypedDict):
    """The entities that a name may mean, the likeliest first."""

    entities: list[Match]
    more: bool


class Related(TypedDict):
    """Values of one relation of an entity; `inverse` where they are the heads of its triples."""

    relation: str
    inverse: bool
    values: list[str]
    terms: NotRequired[list[str]]
    more: bool


class Neighbourhood(TypedDict):
    """Facts about an entity, by relation."""

    entity: Named
    facts: list[Related]
    page: int
    more: bool


class Written(TypedDict):
    """A name as it was given, and the term that it means; None where nothing is called so."""

    term: str | None
    label: str


class JudgedTriple(TypedDict):
    """A triple of a claim and what the graph says of it."""

    head: Written
    relation: Written
    tail: Written
    verdict: str
    flags: list[str]


class JudgedAnswer(Written):
    """An answer of a claim, and whether the chain supports it."""

    verdict: str


class Judged(TypedDict):
    """What the graph says of a claimed chain: supported, unsupported or unknown."""

    verdict: str
    topics: list[str]
    triples: list[JudgedTriple]
    well_formed: bool | None
    flags: list[str]
    answer_verdicts: list[JudgedAnswer]


def result(lines: Iterable[str], structured: Any) -> CallToolResult:
    """A result in words and as data."""
    text = TextContent(type="text", text="\n".join(lines))
    return CallToolResult(content=[text], structured_content=structured)


def found(state: "State", page: int, limit: int) -> CallToolResult:
    """A page of the answers of a final state, each with one chain that proves it."""
    from langchain_core.messages import AIMessage

    from ..graphs.tool import in_words

    answers, computed = state.get("answers", []), state.get("result")
    first, last = (page - 1) * limit, page * limit
    shown: list[Answer] = [
        {**answer, "chains": answer["chains"][:1]} for answer in answers[first:last]
    ]
    rows = (computed or {}).get("rows", [])
    notes = [*state.get("notes", []), *_where(page, limit, len(answers))]
    said = _cut(computed["text"], 10 * LONGEST) if computed else _listed(shown, state)
    seen: Any = {**state, "messages": [AIMessage(said)], "answers": shown, "notes": notes}
    structured = Found(
        status=state.get("status", "abstained"),
        computed=said if computed else "",
        answers=[
            Proved(
                term=answer["term"],
                label=_cut(answer["label"]),
                proof=_triples(step for chain in answer["chains"] for step in chain),
            )
            for answer in shown
        ],
        total=len(answers),
        page=page,
        more=max(len(answers), len(rows)) > last,
        triples=_triples(computed["triples"])[:limit] if computed else [],
        rows=[[_cell(cell) for cell in row] for row in rows[first:last]],
        reading=state.get("reading", ""),
        query=state.get("query_tree"),
        confidence=round(state.get("confidence", 0.0), 3),
        notes=notes,
    )
    return result([in_words(seen)], structured)


def matches(entities: Sequence[Match], *, more: bool) -> CallToolResult:
    """The entities that a name may mean."""
    lines = [_match(entity) for entity in entities] or ["The graph has no such name."]
    if more:
        lines.append("There are more: give a larger limit.")
    return result(lines, Matches(entities=list(entities), more=more))


def neighbourhood(around: Neighbourhood, *, alone: bool) -> CallToolResult:
    """Facts about an entity, a line for each relation and direction.

    Where one relation stands `alone`, its page is one of its values.
    """
    entity, following = around["entity"], around["page"] + 1
    lines = [f"{_safe(entity['label'])}  {entity['term']}"]
    lines += [_related(entity["label"], related) for related in around["facts"]]
    if not around["facts"]:
        lines.append("The graph has no such facts." if around["page"] == 1 else "No more facts.")
    if any(related["more"] for related in around["facts"]):
        lines.append(f"[more]: page {following}." if alone else "[more]: give that relation.")
    if around["more"]:
        lines.append(f"There are more relations: page {following}.")
    return result(lines, around)


def judged(checked: Judged) -> CallToolResult:
    """What the graph says of a claimed chain."""
    lines = [f"The chain is {checked['verdict']}{_flagged(checked['flags'])}."]
    lines += (
        f"{_spelled([triple[part]['label'] for part in ('head', 'relation', 'tail')])}: "
        f"{triple['verdict']}{_flagged(triple['flags'])}"
        for triple in checked["triples"]
    )
    lines += (
        f"Answer {_safe(answer['label'])}: {answer['verdict']}"
        for answer in checked["answer_verdicts"]
    )
    return result(lines, checked)


def described(page: GraphPage) -> list[str]:
    """What a graph holds, in lines."""
    size = page["size"]
    sizes = (
        f": {size['facts']:,} facts about {size['entities']:,} entities by "
        f"{size['relations']:,} relations, in {size['triples']:,} triples"
        if size
        else ", asked as you ask"
    )
    lines = [f"{page['source']}{sizes}."]
    classes = [f"{_safe(kind['name'])} ({kind['members']:,})" for kind in page["classes"]]
    if classes:
        lines.append(f"Classes, with their members: {'; '.join(classes)}")
    if page["relations"]:
        lines.append("Relations, with their facts, and what most of them relate:")
    for use in page["relations"]:
        ends = f": {_safe(use['head'] or '?')} -> {_safe(use['tail'] or '?')}"
        about = ends if use["head"] or use["tail"] else ""
        lines.append(f"{_safe(use['name'])} ({use['facts']:,}){about}")
    if page["more"]:
        lines.append(f"There are more classes or relations: page {page['page'] + 1}.")
    if page["questions"]:
        lines.append("Questions that it answers:")
        lines += map(_safe, page["questions"])
    return [*lines, *(f"Note: {note}" for note in page["notes"])]


def short(name: str) -> str:
    """A name or value of the graph, as long as it may be in a result."""
    return _cut(name)


def _where(page: int, limit: int, total: int) -> list[str]:
    first, last = (page - 1) * limit + 1, min(page * limit, total)
    if page == 1 and last == total:
        return []
    if first > total:
        return [f"there is no page {page}: {total:,} answers are listed"]
    following = f"; page {page + 1} has the next" if last < total else ""
    return [f"answers {first:,} to {last:,} of the {total:,} listed{following}"]


def _listed(answers: Sequence[Any], state: "State") -> str:
    """The answers of a page; where there are none, what was said in their place."""
    if not state.get("answers"):
        return "".join(message.text for message in state.get("messages", [])[-1:])
    return "; ".join(_cut(answer["label"]) for answer in answers)


def _triples(steps: "Iterable[StepRecord]") -> list[list[str]]:
    return [
        [_cut(step[part]["label"]) for part in ("head", "relation", "tail")]
        for step in steps
        if step["verdict"] == "supported"
    ]


def _cell(cell: Any) -> str | int | float | None:
    return _cut(cell["label"]) if isinstance(cell, dict) else cell


def _match(entity: Match) -> str:
    about = ", ".join(filter(None, (entity["kind"], entity["description"])))
    described = f" ({_safe(about)})" if about else ""
    return f"{_safe(entity['label'])}{described}  {entity['term']}"


def _related(label: str, related: Related) -> str:
    values = "; ".join(map(_safe, related["values"])) + (" [more]" if related["more"] else "")
    ends = (values, label) if related["inverse"] else (label, values)
    head, tail = (end if end == values else _safe(end) for end in ends)
    return f"{head} -> {_safe(related['relation'])} -> {tail}"


def _flagged(flags: Sequence[str]) -> str:
    return f" ({', '.join(flags)})" if flags else ""


def _spelled(names: Sequence[str]) -> str:
    return " -> ".join(map(_safe, names))


def _safe(name: str) -> str:
    """A name in one line, which is no markup."""
    from ..agent.decoding.wire import escape

    return escape(_cut(name))


def _cut(text: str, most: int = LONGEST) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
