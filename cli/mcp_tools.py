"""What an agent host may do with an opened KG; the docstrings of the tools are for its model."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from anyio import from_thread
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from ..agent.caching import Recent
from ..agent.errors import InputError
from ..agent.kg.store import Way
from .mcp_about import About, GraphPage
from .mcp_results import (
    Found,
    Judged,
    Match,
    Matches,
    Named,
    Neighbourhood,
    Related,
    described,
    found,
    judged,
    matches,
    neighbourhood,
    result,
    short,
)
from .preparing import Prepared
from .session import Session, meanings, run

if TYPE_CHECKING:
    from ..agent.kg import KnowledgeGraph
    from ..agent.kg.labels.index import TermInfo
    from ..agent.kg.terms import Term
    from ..agent.linking import Candidate
    from ..agent.state import State

_MOST_SHOWN = 5
_RELATIONS = 30
"""Relations of an entity on a page, and in each direction."""
_SAMPLE, _VALUES = 5, 50
"""Values of a relation where it is one of many, and where it is the one that was asked for."""
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
_Text = Annotated[list[str], Field(min_length=3, max_length=3)]
_Page = Annotated[int, Field(ge=1, le=100_000, description="Which part of a long result, from 1.")]
_Answers = Annotated[int, Field(ge=1, le=200, description="Answers on a page.")]


class Progress:
    """Tells the host of a call what is done; may be used in the thread of the call only."""

    def __init__(self, context: Context[Any, Any]) -> None:
        self._context = context
        self._steps = 0

    def tell(self, what: str) -> None:
        """One more step is done. Ends the call where the host no longer waits for it."""
        self._steps += 1
        from_thread.check_cancelled()
        from_thread.run(self._context.report_progress, self._steps, None, what)


class Tools:
    """The tools, over one session; they may be called in several threads at once.

    They raise GroundwalkError where what was given is wrong, or the graph does not answer or cannot
    be opened.
    """

    def __init__(self, session: Prepared[Session], about: Prepared[About]) -> None:
        self._session = session
        self._about = about
        self._answered = Recent[str, Any](_MOST_REMEMBERED)

    def describe_graph(
        self,
        context: Context[Any, Any],
        limit: Annotated[int, Field(ge=1, le=200, description="Relations on a page.")] = 30,
        page: _Page = 1,
    ) -> Annotated[CallToolResult, GraphPage]:
        """Say what the knowledge graph holds: classes, relations, their counts, and questions.

        Begin here where you do not know it. The names are those that `query` and `neighbours` take.
        """
        self._opened(context)
        about = self._about.get(_beat(context, "looking through the graph"))
        shown = about.page(page, limit)
        return result(described(shown), shown)

    def overview(self) -> str:
        """The first page of what the graph holds, in words."""
        return "\n".join(described(self._about.get().page(1, 50)))

    def ask(
        self,
        question: Annotated[str, Field(description="In plain words, such as: Who wrote Emma?")],
        context: Context[Any, Any],
        limit: _Answers = 20,
        page: _Page = 1,
    ) -> Annotated[CallToolResult, Found]:
        """Answer a question from the knowledge graph, with the triples that prove each answer.

        Every triple was looked up in the graph. Where the graph does not hold an answer it says so.
        Ask one question at a time, self-contained, with the names of the entities. Where a name may
        mean several, the notes list them: ask again with the one that is meant in [brackets]. Where
        it begins with `not understood`, the answer leaves these words of the question out.
        """
        return self._found(question, None, context, limit, page)

    def query(
        self,
        query: Annotated[
            dict[str, Any],
            Field(
                description=(
                    'A set of things, such as {"start": [0], "steps": [{"relation": "borders"}]}.'
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
    ) -> Annotated[CallToolResult, Found]:
        """Run an exact query over the whole knowledge graph, with the triples that prove it.

        A query is a set of things: `start` is where it begins, `[0]` numbers of the mentions,
        `{"class": NAME}`, `{"entity": NAME}`, `{"domain": RELATION}` (all that have it) or
        `{"any": [QUERY, ...]}`. `steps` are hops, `{"relation": NAME, "inverse": true}` from tail
        to head. Then `class` keeps members of a class; `filters` those with a value,
        `{"relation": NAME, "op": ">", "value": 5, "unit": "km"}` (= != < > <= >= starts ends
        contains exists "not exists"; "count": true compares how many values there are,
        "mention": 1 stands for a value); `and` and `not` are lists of queries; `extreme` keeps the
        largest or smallest, `{"relation": NAME, "most": true, "n": 3}`. At the top `answer` may be
        count, sum, avg, min, max or yesno, and `columns`, `[{"steps": [...]}]`, makes rows.
        Names are those of the graph: `describe_graph` and `neighbours` list relations. No model is
        asked.
        """
        tree = {"query": query, "mentions": mentions or []}
        return self._found("", tree, context, limit, page)

    def find_entity(
        self,
        name: Annotated[str, Field(description="A name, also misspelt or in part; or a term.")],
        context: Context[Any, Any],
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> Annotated[CallToolResult, Matches]:
        """Find the entities of the knowledge graph that a name may mean, the likeliest first."""
        kg = self._opened(context).kg
        from ..agent.answers.topics import find_entity
        from ..agent.kg.verification.claims import read_written
        from ..agent.linking import LabelLinker

        if read_written(name).term is not None:
            info = find_entity(kg, name)
            return matches([_match(info, 1.0)] if info else [], more=False)
        candidates = meanings(LabelLinker(kg.labels, languages=kg.profile.languages), name)
        listed = [_match(candidate, candidate.score) for candidate in candidates[:limit]]
        return matches(listed, more=len(candidates) > limit)

    def neighbours(
        self,
        entity: Annotated[str, Field(description="Its name or term, as find_entity gives it.")],
        context: Context[Any, Any],
        relation: Annotated[
            str | None, Field(description="Only facts of this relation: its name or term.")
        ] = None,
        limit: Annotated[
            int | None,
            Field(ge=1, le=200, description="Values of each relation: 5, or 50 of a given one."),
        ] = None,
        page: Annotated[
            int,
            Field(
                ge=1, le=10_000, description="From 1; of the relations, or of the values of one."
            ),
        ] = 1,
        terms: Annotated[bool, Field(description="Give the term of each value as well.")] = False,
    ) -> Annotated[CallToolResult, Neighbourhood]:
        """List facts of the knowledge graph about an entity by relation, those that reach it too.

        Without a relation it shows a few values of each: give one of them to see all of its values.
        """
        kg = self._opened(context).kg
        term = _meant(kg, entity)
        most = limit or (_SAMPLE if relation is None else _VALUES)
        first = 0 if relation is None else (page - 1) * most
        if relation is None:
            every = _ways(kg, term)
            shown = (page - 1) * _RELATIONS, page * _RELATIONS
            ways, more = every[slice(*shown)], len(every) > shown[1]
        else:
            known = _meant(kg, relation, relation=True)
            ways, more = [Way(term, known, inverse) for inverse in (False, True)], False
        steps = kg.store.follow_each(ways, limit=first + most + 1)
        reached = [[step.target for step in each][first:] for each in steps]
        named = _named(kg, [term, *(way.relation for way in ways), *sum(reached, [])])
        facts = [
            _related(way, targets[:most], named, more=len(targets) > most, terms=terms)
            for way, targets in zip(ways, reached, strict=True)
            if targets
        ]
        return neighbourhood(
            Neighbourhood(
                entity=Named(term=term, label=named[term]), facts=facts, page=page, more=more
            ),
            alone=relation is not None,
        )

    def verify_chain(
        self,
        chain: Annotated[
            list[_Text], Field(description="Triples, each [head, relation, tail].", min_length=1)
        ],
        context: Context[Any, Any],
        topics: Annotated[
            list[str] | None,
            Field(description="Where the chain starts; else at an end of its first triple."),
        ] = None,
        answers: Annotated[
            list[str] | None, Field(description="What the chain is said to prove, if anything.")
        ] = None,
    ) -> Annotated[CallToolResult, Judged]:
        """Check a chain of triples against the knowledge graph, triple by triple.

        Entities and relations are names or terms. A verdict is supported, unsupported, or unknown
        where the graph did not answer. Supported means that the graph holds it, not that it is what
        was asked.
        """
        kg = self._opened(context).kg
        from ..agent.kg.verification.checks import Unclear, check_records
        from ..agent.kg.verification.claim_lines import read_records, verified_fields
        from ..agent.kg.verification.claims import Inquiry

        claimed = answers or []
        starts = [_start(chain[0], claimed)] if topics is None else topics
        claim = json.dumps({"topics": starts, "chain": chain, "answers": claimed})
        records = read_records([claim.encode()], "the claim")
        (checked,) = check_records(records, Inquiry(kg.store), kg.labels)
        if isinstance(checked, Unclear):
            reason = checked.error.message.removeprefix(f"{checked.record.where}: ")
            raise InputError(reason, checked.error.hint)
        fields = verified_fields(*checked)
        return judged(
            Judged(
                verdict=fields["verdict"],
                topics=starts,
                triples=fields["triples"],
                well_formed=fields["well_formed"],
                flags=fields["flags"],
                answer_verdicts=fields["answer_verdicts"],
            )
        )

    def _opened(self, context: Context[Any, Any]) -> Session:
        return self._session.get(_beat(context, "opening the graph"))

    def _found(
        self, question: str, query: Any, context: Context[Any, Any], limit: int, page: int
    ) -> CallToolResult:
        session = self._opened(context)
        try:
            asked = json.dumps([question, query], sort_keys=True)
        except RecursionError:
            raise InputError("the query is nested too deeply", "ask for less") from None
        state = self._answered.get(asked) if page > 1 else None
        if state is None:
            state = _answer(session, question, query, Progress(context))
            self._answered.put({asked: state})
        return found(state, page, limit)


def _beat(context: Context[Any, Any], what: str) -> Any:
    """Tells the host now and then that something is still being done."""
    progress = Progress(context)
    return lambda: progress.tell(what)


def _answer(session: Session, question: str, query: Any, progress: Progress) -> "State":
    """The final state of a question, or of a query in its place."""
    state: Any = {}
    progress.tell("the query is run" if query else "the question is read")
    for item in run(session, question, "", _nobody, query):
        if "event" not in item:
            state = item
        elif done := _DONE.get(item["event"]):
            progress.tell(done)
    return state


def _nobody(_: dict[str, Any]) -> str:
    raise EOFError


def _ways(kg: "KnowledgeGraph", term: "Term") -> list[Way]:
    """Every relation of an entity, those that leave it first."""
    return [
        Way(term, relation, inverse)
        for inverse in (False, True)
        for relation in kg.store.relations_at([term], inverse)[0]
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
        values=[short(named[target]) for target in targets],
        more=more,
    )
    if terms:
        related["terms"] = list(targets)
    return related


def _start(triple: Sequence[str], answers: Sequence[str]) -> str:
    """The end of a first triple where a chain starts: its head, if that is not what it proves."""
    head, _, tail = triple
    return tail if head in answers and tail not in answers else head


def _meant(kg: "KnowledgeGraph", text: str, *, relation: bool = False) -> "Term":
    """The one entity or relation of a term or a name. Raises InputError."""
    from ..agent.kg.verification.claims import read_written

    if (term := read_written(text).term) is not None:
        return term
    terms = kg.labels.named(text, relation=relation)
    if not terms:
        kind, hint = (
            ("relation", "neighbours without a relation lists those of an entity")
            if relation
            else ("entity", "find_entity lists names that are close")
        )
        raise InputError(f"no {kind} of the graph is called {text!r}", hint)
    if len(terms) > 1:
        meant = ", ".join(terms[:_MOST_SHOWN])
        raise InputError(f"{text!r} may mean {meant}", "give the term that is meant")
    return terms[0]


def _match(entity: "TermInfo | Candidate", score: float) -> Match:
    return Match(
        term=entity.term,
        label=entity.name,
        kind=entity.kind,
        description=short(entity.description),
        score=round(score, 6),
    )
