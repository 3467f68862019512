"""What an agent host may do with an opened KG; the docstrings of the tools are for its model."""

import json
from collections.abc import Callable, Sequence
from itertools import chain as chained
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import BeforeValidator, Field

from ..agent.caching import Recent
from ..agent.errors import GroundwalkError, InputError
from ..agent.kg.store import Way
from ..graphs.about import About, GraphPage
from .mcp_found import Found, Page, page_result
from .mcp_names import Names
from .mcp_progress import Progress
from .mcp_results import (
    Judged,
    Match,
    Matches,
    Named,
    Neighbourhood,
    Related,
    cut,
    described,
    judged,
    matches,
    neighbourhood,
    result,
    shortened,
)
from .preparing import Prepared
from .session import Session, meanings, run

if TYPE_CHECKING:
    from ..agent.kg import KnowledgeGraph
    from ..agent.kg.labels.index import TermInfo
    from ..agent.kg.terms import Term
    from ..agent.linking import Candidate
    from ..agent.state import State

_RELATIONS = 30
"""Relations of an entity on a page, and in each direction."""
_SAMPLE, _VALUES = 5, 50
"""Values of a relation where it is one of many, and where it is the one that was asked for."""
_SAMPLED = 1_000
"""Values of one of many relations of which the first in their order are shown."""
_MOST_VALUES, _MOST_REMOTE = 100_000, 10_000
"""Values of a relation that are put in order, and of an endpoint's."""
_MOST_JUDGED = 1_000
_FAILED = 20
"""Triples that are not supported of which the numbers are told."""
_MOST_REMEMBERED = 20
"""Questions of which further pages are shown without asking again."""

_DONE = {
    "understood": "the question is understood",
    "linked": "its names are looked up",
    "loaded": "the facts around them are open",
    "decoded": "walks are found",
    "verified": "their triples are checked",
}
"""What a host is told while a question is answered."""

_Mention = dict[Literal["text", "term"], str]


def _written(value: object) -> object:
    """A part of a triple as a text, where it is a number, or a name with its term."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, dict):
        named = cast("dict[str, object]", value)
        return named.get("term") or named.get("label") or value
    return value


def _in_order(value: object) -> object:
    """Head, relation and tail, where a triple is an object that names them."""
    parts = ("head", "relation", "tail")
    if isinstance(value, dict) and all(part in value for part in parts):
        return [value[part] for part in parts]
    return cast(object, value)


_Part = str | int | float | dict[str, str]
_Text = Annotated[str, BeforeValidator(_written, json_schema_input_type=_Part)]
_Parts = Annotated[
    list[_Text],
    BeforeValidator(_in_order, json_schema_input_type=list[_Part] | dict[str, _Part]),
    Field(min_length=3, max_length=3),
]


def _no_truth(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a number is wanted, and neither true nor false")
    return value


_Number = Annotated[int, BeforeValidator(_no_truth)]
_Page = Annotated[
    _Number, Field(ge=1, le=100_000, description="Which part of a long result, from 1.")
]
_Answers = Annotated[
    _Number, Field(ge=1, le=200, description="Answers, rows or triples of a proof on a page.")
]
_ProofOf = Annotated[
    _Number | None,
    Field(
        ge=0,
        description="Page through the whole proof of the answer of this number, from 1; 0 is what "
        "all of them were compared with or computed of.",
    ),
]


class Tools:
    """The tools, over one session; they may be called in several threads at once.

    They raise GroundwalkError where what was given is wrong, or the graph does not answer or cannot
    be opened. What nobody raised on purpose while it was opened is reported by whoever opens it.
    """

    def __init__(self, session: Prepared[Session], about: Prepared[About], path: str = "") -> None:
        """Hosts are told the last part only of the `path` of a graph that cannot be opened."""
        self._session = session
        self._about = about
        self._path = path
        self._answered = Recent[str, Any](_MOST_REMEMBERED)
        self._names: Names | None = None

    def describe_graph(
        self,
        context: Context[Any, Any],
        limit: Annotated[_Number, Field(ge=1, le=200, description="Relations on a page.")] = 30,
        page: _Page = 1,
    ) -> Annotated[CallToolResult, GraphPage]:
        """Say what the knowledge graph holds: classes, relations, their counts, and questions.

        Begin here where you do not know it. The names are those that `query` and `neighbours` take.
        """
        progress = Progress(context)
        self._opened(progress)
        about = self._about.get(progress.reporter("looking through the graph"))
        shown = shortened(about.page(page, limit))
        return result(described(shown), shown)

    def overview(self) -> str:
        """The first page of what the graph holds, in words."""
        self._opened()
        return "\n".join(described(shortened(self._about.get().page(1, 50))))

    def ask(
        self,
        question: Annotated[str, Field(description="In plain words, such as: Who wrote Emma?")],
        context: Context[Any, Any],
        limit: _Answers = 20,
        page: _Page = 1,
        proof_of: _ProofOf = None,
    ) -> Annotated[CallToolResult, Found]:
        """Answer a question from the knowledge graph, with the triples that prove each answer.

        Every triple was looked up in the graph. Where the graph does not hold an answer it says so.
        Ask one question at a time, self-contained, with the names of the entities. Where a name may
        mean several, they are listed: ask again with the term of the one that is meant in its
        place, in [brackets]. What is not plainly answered begins with the status and how likely the
        reading is. After `not understood` stand the words that an answer leaves out.
        """
        progress = Progress(context)
        state = self._state(question, None, progress, again=page > 1 or proof_of is not None)
        return self._page_result(state, Page(page, limit, proof_of))

    def query(
        self,
        query: Annotated[
            dict[str, Any],
            Field(
                description=(
                    'A set of things, such as {"start": [0], "steps": [{"relation": "borders"}]}; '
                    'or {"query": QUERY, "mentions": [...]}, which has its mentions with it.'
                )
            ),
        ],
        context: Context[Any, Any],
        mentions: Annotated[
            list[str | _Mention] | None,
            Field(
                description=(
                    "The entities and values that the query numbers from 0: names, or "
                    '{"text": NAME, "term": TERM} where a name may mean several.'
                )
            ),
        ] = None,
        limit: _Answers = 20,
        page: _Page = 1,
        proof_of: _ProofOf = None,
    ) -> Annotated[CallToolResult, Found]:
        """Run an exact query over the whole knowledge graph, with the triples that prove it.

        A query is a set of things: `start` is where it begins, `[0]` numbers of the mentions,
        `{"class": NAME}`, `{"entity": NAME}`, `{"domain": RELATION}` (all that have it) or
        `{"any": [QUERY, ...]}`. `steps` are hops, `{"relation": NAME, "inverse": true}` from tail
        to head. Then `class` keeps members of a class; `filters` those with a value,
        `{"relation": NAME, "op": ">", "value": 5, "unit": "km"}` (= != < > <= >= starts ends
        contains exists "not exists"; "count": true compares how many values there are,
        "mention": 1 stands for a value); `and` and `not` are lists of queries; `extreme` keeps the
        largest or smallest, `{"relation": NAME, "most": true, "n": 3}`. `group`, a list of hops,
        makes the set the keys that these lead to, and `having` keeps keys,
        `{"agg": "count", "op": ">", "value": 5}`. At the top `answer` may be count, sum, avg, min,
        max, yesno, or connection: the shortest chain to the query in `to`; and `columns`,
        `[{"steps": [...]}]` or `[{"agg": "count"}]`, makes rows.
        Names are those of the graph: `describe_graph` and `neighbours` list relations. No model is
        asked.
        """
        whole = query if "query" in query else {"query": query}
        inside = whole.get("mentions")
        if inside is not None and mentions is not None:
            raise InputError("the mentions are given twice", "give them once")
        whole = {**whole, "mentions": (mentions or []) if inside is None else inside}
        progress = Progress(context)
        state = self._state("", whole, progress, again=page > 1 or proof_of is not None)
        return self._page_result(state, Page(page, limit, proof_of), whole["mentions"])

    def find_entity(
        self,
        name: Annotated[str, Field(description="A name, also misspelt or in part; or a term.")],
        context: Context[Any, Any],
        limit: Annotated[_Number, Field(ge=1, le=50, description="Entities that are listed.")] = 10,
    ) -> Annotated[CallToolResult, Matches]:
        """Find the entities of the knowledge graph that a name may mean, the likeliest first.

        What is called so and is no entity is listed as a class or a relation, which `query` takes.
        """
        kg = self._opened(Progress(context)).kg
        from ..agent.answers.differences import told_apart
        from ..agent.answers.topics import find_entity
        from ..agent.kg.labels.meanings import written_term

        if not name.strip():
            raise InputError("the name is empty", "give a name or a term")
        if (term := written_term(name)) is not None:
            info = find_entity(kg, term)
            entities = [_match(info, 1.0)] if info else []
            return matches(entities, *_vocabulary(kg, name, term), more=False)
        candidates = meanings(kg, name)
        shown = told_apart(kg, candidates[:limit])
        listed = [_match(candidate, candidate.score) for candidate in shown]
        return matches(listed, *_vocabulary(kg, name, None), more=len(candidates) > limit)

    def neighbours(
        self,
        entity: Annotated[str, Field(description="Its name or term, as find_entity gives it.")],
        context: Context[Any, Any],
        relation: Annotated[
            str | None, Field(description="Only facts of this relation: its name or term.")
        ] = None,
        limit: Annotated[
            _Number | None,
            Field(ge=1, le=200, description="Values of each relation: 5, or 50 of a given one."),
        ] = None,
        page: Annotated[
            _Number,
            Field(
                ge=1, le=10_000, description="From 1; of the relations, or of the values of one."
            ),
        ] = 1,
        terms: Annotated[bool, Field(description="Give the term of each value as well.")] = False,
    ) -> Annotated[CallToolResult, Neighbourhood]:
        """List facts of the knowledge graph about an entity by relation, those that reach it too.

        Without a relation it shows a few values of each: give one of them to see all of its values.
        """
        kg = self._opened(Progress(context)).kg
        names = self._names_of(kg)
        term = names.entity(entity)
        most = limit or (_SAMPLE if relation is None else _VALUES)
        if relation is None:
            first, looked_at = 0, max(_SAMPLED, most + 1)
            every = _ways(kg, term)
            shown = (page - 1) * _RELATIONS, page * _RELATIONS
            ways, total, more = every[slice(*shown)], len(every), len(every) > shown[1]
        else:
            first, looked_at = ((page - 1) * most, _MOST_VALUES if kg.pinned else _MOST_REMOTE)
            known = names.relation(relation)
            ways, total, more = ([Way(term, known, inverse) for inverse in (False, True)], 0, False)
        steps = kg.store.follow_each(ways, limit=looked_at)
        reached = [[step.target for step in each][first:] for each in steps]
        if relation is not None:
            total, more = (sum(map(len, steps)), any(len(each) > most for each in reached))
        shown_of = [targets[:most] for targets in reached]
        named = _named(
            kg, [term, *(way.relation for way in ways), *chained.from_iterable(shown_of)]
        )
        facts = [
            _related(way, targets, named, more=len(all_of_it) > most, terms=terms)
            for way, targets, all_of_it in zip(ways, shown_of, reached, strict=True)
            if targets
        ]
        around = Neighbourhood(
            entity=Named(term=term, label=named[term]),
            facts=facts,
            total=total,
            page=page,
            more=more,
        )
        is_class = not total and names.has_members(term)
        return neighbourhood(around, alone=relation is not None, is_class=is_class)

    def verify_chain(
        self,
        chain: Annotated[
            list[_Parts],
            Field(
                description="Triples, each [head, relation, tail], or an object with these keys.",
                min_length=1,
                max_length=_MOST_JUDGED,
            ),
        ],
        context: Context[Any, Any],
        topics: Annotated[
            list[_Text] | None,
            Field(description="Where the chain starts; else at an end of its first triple."),
        ] = None,
        answers: Annotated[
            list[_Text] | None, Field(description="What the chain is said to prove, if anything.")
        ] = None,
        limit: Annotated[_Number, Field(ge=1, le=200, description="Triples on a page.")] = 50,
        page: _Page = 1,
    ) -> Annotated[CallToolResult, Judged]:
        """Check a chain of triples against the knowledge graph, triple by triple.

        Each part is a name, a term or a number, and proofs of `ask` are taken as they are. A
        verdict is supported, unsupported, or unknown where the graph did not answer. Supported
        means that the graph holds it, not that it is what was asked.
        """
        kg = self._opened(Progress(context)).kg
        from ..agent.kg.verification.checks import Unclear, check_records
        from ..agent.kg.verification.claim_lines import read_records, verified_fields
        from ..agent.kg.verification.claims import Inquiry

        texts = [*chained.from_iterable(chain), *(topics or []), *(answers or [])]
        names = self._names_of(kg)
        spelled = names.as_written(texts)
        triples = [[spelled[text] for text in triple] for triple in chain]
        claimed = [spelled[text] for text in answers or []]
        start = _start(triples[0], claimed, names.meant)
        starts = [start] if topics is None else [spelled[topic] for topic in topics]
        claim = json.dumps({"topics": starts, "chain": triples, "answers": claimed})
        records = read_records([claim.encode()], "the claim")
        inquiry = Inquiry(kg.store, kg.prove)
        (checked,) = check_records(records, inquiry, kg.labels, kg.profile.skipped)
        if isinstance(checked, Unclear):
            reason = checked.error.message.removeprefix(f"{checked.record.where}: ")
            raise InputError(reason, checked.error.hint)
        fields = verified_fields(*checked)
        every, shown = fields["triples"], Page(page, limit)
        failed = [n for n, triple in enumerate(every, 1) if triple["verdict"] != "supported"]
        return judged(
            Judged(
                verdict=fields["verdict"],
                topics=starts,
                triples=every[shown.first : shown.last],
                total=len(every),
                failed=failed[:_FAILED],
                page=page,
                more=len(every) > shown.last,
                well_formed=fields["well_formed"],
                flags=fields["flags"],
                answer_verdicts=fields["answer_verdicts"],
            )
        )

    def _opened(self, progress: Progress | None = None) -> Session:
        try:
            if progress is None:
                return self._session.get()
            return self._session.get(progress.reporter("opening the graph"))
        except GroundwalkError as error:
            hint = f"tell the user: {error.hint}" if error.hint else "tell the user"
            message = error.message.replace(self._path, Path(self._path).name or self._path)
            raise InputError(f"the graph cannot be opened: {message}", hint) from error
        except Exception as error:  # whoever opens it tells what it is
            raise internal() from error

    def _state(self, question: str, query: Any, progress: Progress, *, again: bool) -> "State":
        """The final state of a question, or of a query in its place; asked `again` for a page."""
        session = self._opened(progress)
        try:
            asked = json.dumps([question, query], sort_keys=True)
        except RecursionError:
            raise InputError("the query is nested too deeply", "ask for less") from None
        state = self._answered.get(asked) if again else None
        if state is None:
            state = _answer(session, question, query, progress)
            self._answered.put({asked: state})
        return state

    def _names_of(self, kg: "KnowledgeGraph") -> Names:
        if self._names is None or self._names.kg is not kg:
            self._names = Names(kg)
        return self._names

    def _page_result(self, state: "State", page: Page, mentions: object = None) -> CallToolResult:
        kg = self._opened().kg
        return page_result(state, page, self._names_of(kg).spelled, mentions)


def internal() -> InputError:
    """What a host is told of an error that nobody raised on purpose, and that is reported."""
    return InputError("internal error", "tell the user: standard error says which")


def _answer(session: Session, question: str, query: Any, progress: Progress) -> "State":
    """The final state of a question, or of a query in its place."""
    state: Any = {}
    what = "the query is run" if query else "the question is read"
    progress.report(what)
    with progress.watching(what):
        for item in run(session, question, "", _nobody, query):
            if "event" not in item:
                state = item
            elif done := _DONE.get(item["event"]):
                progress.report(done)
    return state


def _nobody(_: dict[str, Any]) -> str:
    raise EOFError


def _ways(kg: "KnowledgeGraph", term: "Term") -> list[Way]:
    """Every relation of an entity, those that leave it first."""
    return [
        Way(term, relation, inverse)
        for inverse in (False, True)
        for relation in kg.listed.relations_at([term], inverse)[0]
    ]


def _named(kg: "KnowledgeGraph", terms: "Sequence[Term]") -> "dict[Term, str]":
    distinct = list(dict.fromkeys(terms))
    return dict(zip(distinct, kg.labels.names(distinct), strict=True))


def _related(
    way: Way, targets: "Sequence[Term]", named: "dict[Term, str]", *, more: bool, terms: bool
) -> Related:
    related = Related(
        relation=named[way.relation],
        inverse=way.inverse,
        values=[cut(named[target]) for target in targets],
        more=more,
    )
    if terms:
        related["terms"] = list(targets)
    return related


def _start(triple: Sequence[str], answers: Sequence[str], meant: Callable[[str], set[str]]) -> str:
    """The end of a first triple where a chain starts: its head, if that is not what it proves.

    An answer may be a term where the triple has the name of it.
    """
    head, _, tail = triple
    claimed = set[str]().union(*map(meant, answers))
    is_proved, starts = not claimed.isdisjoint(meant(head)), claimed.isdisjoint(meant(tail))
    return tail if is_proved and starts else head


def _vocabulary(
    kg: "KnowledgeGraph", name: str, term: "Term | None"
) -> tuple[list[Named], list[Named]]:
    """The classes and the relations that a term is or that are called so, in the plural too."""
    from ..agent.answers.class_words import names_in_either_number

    known = names_in_either_number(kg, name) if term is None else kg.labels.vocabulary()
    words = [word for word in known if term in (None, word.term)]
    named = _named(kg, [word.term for word in words])
    kinds = (
        {word.term: None for word in words if word.relation is relation}
        for relation in (False, True)
    )
    classes, relations = ([Named(term=t, label=cut(named[t])) for t in kind] for kind in kinds)
    return classes, relations


def _match(entity: "TermInfo | Candidate", score: float) -> Match:
    return Match(
        term=entity.term,
        label=entity.name,
        kind=entity.kind,
        description=cut(entity.description),
        score=round(score, 6),
    )
