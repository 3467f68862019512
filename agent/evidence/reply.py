"""What evidence is made of: the public result of a question, and where it came from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NotRequired, cast

from typing_extensions import TypedDict

from ..answers.texts import with_unit
from ..kg.labels.names import local_name
from ..kg.terms import Step, Term, Triple, node_of
from ..records import (
    NOT_UNDERSTOOD,
    SILENT,
    Answer,
    Entity,
    Named,
    Operation,
    Reading,
    Result,
    Status,
    StepRecord,
    Usage,
    silence,
)


class Reply(TypedDict):
    """A question's result as `groundwalk ask --json` prints it, fresh or saved."""

    question: str
    status: Status
    answers: list[Answer]
    unsupported: list[str]
    topics: list[Entity]
    method: str
    usage: Usage
    notes: list[str]
    operation: NotRequired[Operation | None]
    result: NotRequired[Result | None]
    sparql: NotRequired[str]
    """The query that was executed; empty where there was none, or SPARQL cannot say it."""
    query: NotRequired[dict[str, Any] | None]
    reading: NotRequired[str]
    """The same query in words."""
    readings: NotRequired[list[Reading]]
    reasoner: NotRequired[str]
    confidence: NotRequired[float]


@dataclass(frozen=True)
class Origin:
    """What a reply does not say of itself; what is not known is empty.

    `digest` is that of the KG's content. `graphs` are the named graphs, as terms, that were read
    of it; without any it was everything, of an endpoint its default graph. `begun` is the time
    at which the question was asked, in the form of xsd:dateTime.
    """

    source: str = ""
    digest: str = ""
    graphs: tuple[Term, ...] = ()
    model: str = ""
    version: str = ""
    begun: str = ""


def summary(reply: Reply) -> str:
    """The answers in one line, or what was computed of them, or that there is none."""
    if computed := reply.get("result"):
        return computed["text"]
    if reply["answers"]:
        return ", ".join(map(with_unit, reply["answers"]))
    return silence(reply["status"], reply["notes"])


def understood(reply: Reply) -> list[str]:
    """How the question was read and how surely, then what of it was not understood.

    Lines to stand right under the question, so that nobody takes an answer for that of another one.
    """
    is_answered, reading = reply["status"] not in SILENT, reply.get("reading", "")
    how = [f"read as: {reading}"] if is_answered and reading else []
    if is_answered and _is_weighed(reply):
        how.append(f"confidence {reply.get('confidence', 0.0):.2f}")
    return [*filter(None, [" · ".join(how)]), *filter(_is_left_out, reply["notes"])]


def _is_weighed(reply: Reply) -> bool:
    """Whether there is a confidence: not of a query that was given, nor of what an LLM said."""
    result, query = reply.get("result"), reply.get("query")
    is_given = query is not None and not (reply.get("readings") or reply.get("operation"))
    is_card = result is not None and result["kind"] in ("card", "introduction")
    is_certain = is_given or is_card or reply.get("reasoner") == "llm"
    return not is_certain and bool(reply.get("confidence"))


def _is_left_out(note: str) -> bool:
    return note.startswith(NOT_UNDERSTOOD)


def begun_at(reply: Reply) -> list[Named]:
    """What the chains of the answers begin at: the topics, of a follow-up the earlier ones too.

    A query of earlier answers names none of them, and its chains begin where theirs did.
    """
    topics = (Named(term=topic["term"], label=topic["label"]) for topic in reply["topics"])
    starts = {topic["term"]: topic for topic in topics}
    if _is_of_earlier(reply.get("query")):
        members = {answer["term"] for answer in reply["answers"]}
        for chain in chains(reply):
            first = chain[0]["tail" if chain[0]["inverse"] else "head"]
            term = step_of(chain[0]).source
            label = first["label"] if first["term"] == term else local_name(term)
            if term not in members:
                starts.setdefault(term, Named(term=term, label=label))
    return list(starts.values())


def _is_of_earlier(tree: object) -> bool:
    """Whether a query as plain JSON begins anywhere at the last answers or topics."""
    match tree:
        case {"last": str()}:
            return True
        case dict():
            return any(map(_is_of_earlier, cast("dict[str, object]", tree).values()))
        case list():
            return any(map(_is_of_earlier, cast("list[object]", tree)))
        case _:
            return False


def chains(reply: Reply) -> Iterator[list[StepRecord]]:
    """The chains of all answers, in their order; those without a triple are left out."""
    return (chain for answer in reply["answers"] for chain in answer["chains"] if chain)


def triples(reply: Reply) -> dict[Triple, StepRecord]:
    """Every triple that is shown, once, in the order of the chains."""
    records: dict[Triple, StepRecord] = {}
    computed = reply.get("result")
    for chain in (*chains(reply), computed["triples"] if computed else []):
        for step in chain:
            records.setdefault(step_of(step).triple, step)
    return records


def notes(reply: Reply) -> list[str]:
    """How the result was computed, and the notes of the reply that are not told as `understood`."""
    computed = reply.get("result")
    others = [note for note in reply["notes"] if not _is_left_out(note)]
    return [*([computed["how"]] if computed and computed["how"] else []), *others]


def step_of(record: StepRecord) -> Step:
    """The step that a record stands for."""
    terms = (record[part]["term"] for part in ("head", "relation", "tail"))
    return Step(Triple(*terms), record["inverse"])


def names(reply: Reply) -> dict[Term, str]:
    """The labels of a reply's terms, and of the subjects of triple terms."""
    labels = {topic["term"]: topic["label"] for topic in reply["topics"]}
    shown = [step[part] for step in triples(reply).values() for part in Triple._fields]
    for named in (*shown, *reply["answers"]):
        labels.setdefault(named["term"], named["label"])
    for subject in [node_of(term) for term in labels]:
        labels.setdefault(subject, local_name(subject))
    return labels


def printable(text: str) -> str:
    """A text of foreign origin on one line, without anything that steers a terminal or a layout."""
    return "".join(c if c.isprintable() else "·" for c in text)


def escaped(text: str) -> str:
    """Turtle or SPARQL with codepoint escapes for what is not printable."""

    def codepoint(number: int) -> str:
        return f"\\u{number:04X}" if number <= 0xFFFF else f"\\U{number:08X}"

    return "".join(c if c.isprintable() or c in "\n\t" else codepoint(ord(c)) for c in text)


def cropped(text: str, most: int) -> str:
    """At most so many characters of a text, the last an ellipsis where some are left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
