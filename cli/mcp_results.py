"""What the tools of the MCP server give back: pages as data, and the same in words for a model.

The words are names of the graph, made safe for a line, between words of ours.
"""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NotRequired

from mcp.types import CallToolResult, TextContent
from typing_extensions import TypedDict

from ..graphs.about import GraphPage, RelationUse

LONGEST = 300
"""Characters of a name or value; of a longer one the rest is left out."""
_WITH_TERM = re.compile(
    r"(?P<label>.*\s|\".*\"\^\^)?(?P<term><[^<>\s]+:[^<>\s]*>|_:\w+)", re.DOTALL
)


class Named(TypedDict):
    """A term and the name that people read."""

    term: str
    label: str


class Match(Named):
    """An entity that a name may mean, and how likely it is."""

    kind: str
    description: str
    score: float


class Matches(TypedDict):
    """The entities that a name may mean, the likeliest first; what else is called so."""

    entities: list[Match]
    classes: list[Named]
    relations: list[Named]
    more: bool


class Related(TypedDict):
    """Values of one relation of an entity; `inverse` where they are the heads of its triples."""

    relation: str
    inverse: bool
    values: list[str]
    terms: NotRequired[list[str]]
    more: bool


class Neighbourhood(TypedDict):
    """Facts about an entity, by relation: some of each, or a page of those of one relation.

    `total` are the relations, each direction for itself; of one relation, its values. `more` tells
    whether there are further relations, or values, on the next page.
    """

    entity: Named
    facts: list[Related]
    total: int
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
    """What the graph says of a claimed chain: supported, unsupported or unknown.

    `triples` are those of the page, of `total` in the chain. `failed` are the numbers, from 1, of
    the first that are not supported.
    """

    verdict: str
    topics: list[str]
    triples: list[JudgedTriple]
    total: int
    failed: list[int]
    page: int
    more: bool
    well_formed: bool | None
    flags: list[str]
    answer_verdicts: list[JudgedAnswer]


def result(lines: Iterable[str], structured: Any) -> CallToolResult:
    """A result in words and as data."""
    text = TextContent(type="text", text="\n".join(lines))
    return CallToolResult(content=[text], structured_content=structured)


def matches(
    entities: Sequence[Match], classes: Sequence[Named], relations: Sequence[Named], *, more: bool
) -> CallToolResult:
    """The entities that a name may mean, and the classes and relations that are called so."""
    lines = [f"{described_as(entity)}  {entity['term']}" for entity in entities]
    lines += ["There are more: give a larger limit."] * more
    if not entities:
        named = classes or relations
        lines.append("No entity is called so." if named else "The graph has no such name.")
    for what, words in (("class", classes), ("relation", relations)):
        lines += (
            f"{safe(word['label'])} is a {what}, which query takes: {word['term']}"
            for word in words
        )
    vocabulary = {"classes": list(classes), "relations": list(relations)}
    return result(lines, Matches(entities=list(entities), **vocabulary, more=more))


def neighbourhood(around: Neighbourhood, *, alone: bool, is_class: bool) -> CallToolResult:
    """Facts about an entity, a line for each relation and direction; of a class how it is listed.

    Where one relation stands `alone`, its page is one of its values.
    """
    entity, page, total = around["entity"], around["page"], around["total"]
    lines = [f"{safe(entity['label'])}  {entity['term']}"]
    lines += [_related(entity["label"], related) for related in around["facts"]]
    if not total:
        lines.append("The graph has no such facts.")
        if is_class:
            members = json.dumps({"start": {"class": entity["term"]}})
            lines.append(f"It is a class: its members are those of the query {members}.")
    elif not around["facts"]:
        lines.append(f"There is no page {page}: there are {counted(total, _WHAT[alone])}.")
    if not alone and any(related["more"] for related in around["facts"]):
        lines.append("[more]: give that relation.")
    if around["more"]:
        lines.append(f"There are more, of {counted(total, _WHAT[alone])}: page {page + 1}.")
    return result(lines, around)


_WHAT = {False: "relation", True: "value"}


def counted(number: int, what: str) -> str:
    """So many of something, in words."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def judged(checked: Judged) -> CallToolResult:
    """What the graph says of a claimed chain."""
    lines = [f"The chain is {checked['verdict']}{_flagged(checked['flags'])}."]
    if checked["verdict"] == "unsupported" and not checked["failed"]:
        lines.append("The graph holds each of its triples, but they make no chain.")
    if checked["failed"] and checked["total"] > len(checked["triples"]):
        failed = ", ".join(map(str, checked["failed"]))
        lines.append(f"Not supported, the first of them: {failed}.")
    lines += (
        f"{spelled([part['label'] for part in _parts(triple)])}: "
        f"{triple['verdict']}{_flagged(_with_names(triple))}"
        for triple in checked["triples"]
    )
    if not checked["triples"]:
        lines.append(f"There is no page {checked['page']}.")
    if checked["more"]:
        triples = counted(checked["total"], "triple")
        lines.append(f"There are more, of {triples}: page {checked['page'] + 1}.")
    lines += (
        f"Answer {safe(answer['label'])}: {answer['verdict']}"
        for answer in checked["answer_verdicts"]
    )
    return result(lines, checked)


def shortened(page: GraphPage) -> GraphPage:
    """The same with names no longer than they may be in a result."""
    return {
        **page,
        "classes": [{**use, "name": cut(use["name"])} for use in page["classes"]],
        "relations": [
            {**use, "name": cut(use["name"]), "head": cut(use["head"]), "tail": cut(use["tail"])}
            for use in page["relations"]
        ],
        "questions": [cut(question) for question in page["questions"]],
    }


def described(page: GraphPage) -> list[str]:
    """What a graph holds, in lines."""
    lines = [_size_line(page)]
    if page["page"] > 1 and not (page["classes"] or page["relations"]):
        lines.append(f"There is no page {page['page']}: it has no further classes or relations.")
    classes = [f"{safe(kind['name'])} ({kind['members']:,})" for kind in page["classes"]]
    if classes:
        lines.append(f"Classes, with their members: {'; '.join(classes)}")
    if page["relations"]:
        lines.append("Relations, with their facts, and what most of them relate:")
    lines += map(_relation_line, page["relations"])
    if page["more"]:
        lines.append(f"There are more classes or relations: page {page['page'] + 1}.")
    if page["questions"]:
        lines.append("Questions that it answers:")
        lines += map(safe, page["questions"])
    return [*lines, *(f"Note: {note}" for note in page["notes"])]


def _size_line(page: GraphPage) -> str:
    size = page["size"]
    if not size:
        return f"{page['source']}, asked as you ask."
    return (
        f"{page['source']}: {size['facts']:,} facts about {size['entities']:,} entities by "
        f"{size['relations']:,} relations, in {size['triples']:,} triples."
    )


def _relation_line(relation: RelationUse) -> str:
    head, tail = relation["head"], relation["tail"]
    ends = f": {safe(head or '?')} -> {safe(tail or '?')}" if head or tail else ""
    return f"{safe(relation['name'])} ({relation['facts']:,}){ends}"


def described_as(entity: Match) -> str:
    """An entity in words: its name, and what it is; its class is said once."""
    kind, description = entity["kind"], entity["description"]
    name = entity["label"].removesuffix(f" ({kind})")
    says_kind = bool(kind) and description.startswith(kind)
    about = description if says_kind else ", ".join(filter(None, (kind, description)))
    described = f" ({safe(about)})" if about else ""
    return f"{safe(name)}{described}"


def _related(label: str, related: Related) -> str:
    terms = related.get("terms") or [""] * len(related["values"])
    shown = ("" if term.startswith('"') else term for term in terms)
    each = (f"{safe(v)} {t}".strip() for v, t in zip(related["values"], shown, strict=True))
    values = "; ".join(each) + (" [more]" if related["more"] else "")
    ends = (values, label) if related["inverse"] else (label, values)
    head, tail = (end if end == values else safe(end) for end in ends)
    return f"{head} -> {safe(related['relation'])} -> {tail}"


def _parts(triple: JudgedTriple) -> list[Written]:
    return [triple["head"], triple["relation"], triple["tail"]]


def _with_names(triple: JudgedTriple) -> list[str]:
    """The flags of a triple, an unknown name with those that are unknown."""
    unknown = "; ".join(safe(part["label"]) for part in _parts(triple) if part["term"] is None)
    return [f"{flag}: {unknown}" if flag == "unknown name" else flag for flag in triple["flags"]]


def _flagged(flags: Sequence[str]) -> str:
    return f" ({', '.join(flags)})" if flags else ""


def spelled(names: Sequence[str]) -> str:
    """A triple in a line; a term that a name ends in stands as it is."""
    return " -> ".join(map(_safe_but_term, names))


def _safe_but_term(name: str) -> str:
    match = _WITH_TERM.fullmatch(name)
    if match is None:
        return safe(name, 2 * LONGEST)
    label, term = match["label"] or "", match["term"]
    return f"{safe(label)}{' ' if label.endswith(' ') else ''}{term}" if label else term


def safe(name: str, most: int = LONGEST) -> str:
    """A name in one line, which is no markup."""
    from ..agent.decoding.wire import escape

    return escape(cut(name, most))


def cut(text: str, most: int = LONGEST) -> str:
    """A text of the graph, as long as it may be in a result."""
    return text if len(text) <= most else f"{text[:most]}…"
