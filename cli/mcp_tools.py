"""What an agent host may do with an opened KG; the docstrings of the tools are for its model."""

import json
from itertools import chain as chained
from typing import Annotated, Any, Literal

from mcp.types import CallToolResult, TextContent
from pydantic import Field
from typing_extensions import TypedDict

from ..agent.answers.records import name_terms
from ..agent.answers.topics import find_entity
from ..agent.errors import InputError
from ..agent.kg.labels.index import TermInfo
from ..agent.kg.store import Way
from ..agent.kg.terms import Term
from ..agent.kg.verification.checks import Unclear, check_records
from ..agent.kg.verification.claim_lines import read_records, verified_fields
from ..agent.kg.verification.claims import Inquiry, read_written
from ..agent.linking import Candidate, LabelLinker
from ..agent.state import Answer, Entity, Named
from ..graphs.tool import AskResult, in_words, result_of
from .session import Session, meanings


class Matches(TypedDict):
    """The entities that a name may mean, the likeliest first."""

    entities: list[Entity]


class Fact(TypedDict):
    """A triple as the graph holds it."""

    head: Named
    relation: Named
    tail: Named


class Neighbourhood(TypedDict):
    """Facts about an entity; where there are `more`, `relations` are all that it has."""

    entity: Named
    facts: list[Fact]
    more: bool
    relations: list[Named]


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
    triples: list[JudgedTriple]
    well_formed: bool | None
    flags: list[str]
    answer_verdicts: list[JudgedAnswer]


_MOST_SHOWN = 5
_MOST_ANSWERS = 50

_Mention = dict[Literal["text", "term"], str]
_Text = Annotated[list[str], Field(min_length=3, max_length=3)]


class Tools:
    """The tools, over one session; they may be called in several threads at once.

    They raise GroundwalkError where what was given is wrong, or the graph does not answer.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kg = session.kg
        self._linker = LabelLinker(session.kg.labels, languages=session.kg.profile.languages)

    def ask(
        self,
        question: Annotated[str, Field(description="In plain words, such as: Who wrote Emma?")],
    ) -> Annotated[CallToolResult, AskResult]:
        """Answer a question from the knowledge graph, with the triples that prove each answer.

        Every triple was looked up in the graph. Where the graph does not hold an answer it says so.
        Ask one question at a time, self-contained, with the names of the entities. Where a name may
        mean several, the notes list them: ask again with the one that is meant in [brackets].
        """
        return self._answered({"question": question})

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
        mentions: Annotated[
            list[str | _Mention] | None,
            Field(
                description=(
                    "The entities and values that the query numbers from 0: names, or "
                    '{"text": NAME, "term": TERM} where a name may mean several.'
                )
            ),
        ] = None,
    ) -> Annotated[CallToolResult, AskResult]:
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
        Names are those of the graph: `neighbours` lists relations. No model is asked.
        """
        return self._answered({"query": {"query": query, "mentions": mentions or []}})

    def find_entity(
        self,
        name: Annotated[str, Field(description="A name, also misspelt or in part; or a term.")],
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> Matches:
        """Find the entities of the knowledge graph that a name may mean, the likeliest first."""
        if read_written(name).term is not None:
            info = find_entity(self._kg, name)
            return Matches(entities=[_entity(info, 1.0)] if info else [])
        candidates = meanings(self._linker, name)[:limit]
        return Matches(entities=[_entity(candidate, candidate.score) for candidate in candidates])

    def neighbours(
        self,
        entity: Annotated[str, Field(description="Its name or term, as find_entity gives it.")],
        relation: Annotated[
            str | None, Field(description="Only facts of this relation: its name or term.")
        ] = None,
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
    ) -> Neighbourhood:
        """List facts of the knowledge graph about an entity, those that reach it too.

        Where there are more facts than the limit, `relations` names all relations that the entity
        has: ask for one of them.
        """
        term = self._meant(entity)
        if relation is None:
            steps = self._kg.store.neighbours([term], limit=limit + 1)[0]
        else:
            known = self._meant(relation, relation=True)
            ways = [Way(term, known, inverse) for inverse in (False, True)]
            steps = sum(self._kg.store.follow_each(ways, limit=limit + 1), [])
        triples = list(dict.fromkeys(step.triple for step in steps))
        more = len(triples) > limit
        others = self._relations(term) if more and relation is None else []
        shown = triples[:limit]
        terms = [term, *others, *chained.from_iterable(shown)]
        named = name_terms(self._kg.labels, terms)
        return Neighbourhood(
            entity=named[term],
            facts=[
                Fact(
                    head=named[triple.head],
                    relation=named[triple.relation],
                    tail=named[triple.tail],
                )
                for triple in shown
            ],
            more=more,
            relations=[named[other] for other in others],
        )

    def verify_chain(
        self,
        topics: Annotated[list[str], Field(description="The entities where the chain starts.")],
        chain: Annotated[
            list[_Text], Field(description="Triples, each [head, relation, tail].", min_length=1)
        ],
        answers: Annotated[list[str], Field(description="What the chain is said to prove.")],
    ) -> Judged:
        """Check a chain of triples against the knowledge graph, triple by triple.

        Entities and relations are names or terms. A verdict is supported, unsupported, or unknown
        where the graph did not answer. Supported means that the graph holds it, not that it is what
        was asked.
        """
        claim = json.dumps({"topics": topics, "chain": chain, "answers": answers})
        records = read_records([claim.encode()], "the claim")
        (checked,) = check_records(records, Inquiry(self._kg.store), self._kg.labels)
        if isinstance(checked, Unclear):
            reason = checked.error.message.removeprefix(f"{checked.record.where}: ")
            raise InputError(reason, checked.error.hint)
        fields = verified_fields(*checked)
        return Judged(
            verdict=fields["verdict"],
            triples=fields["triples"],
            well_formed=fields["well_formed"],
            flags=fields["flags"],
            answer_verdicts=fields["answer_verdicts"],
        )

    def _answered(self, turn: Any) -> CallToolResult:
        state: Any = self._session.graph.invoke(turn, context=self._session.options)
        words = TextContent(type="text", text=in_words(state))
        structured: Any = _short(result_of(state))
        return CallToolResult(content=[words], structured_content=structured)

    def _meant(self, text: str, *, relation: bool = False) -> Term:
        """The one entity or relation of a term or a name. Raises InputError."""
        if (term := read_written(text).term) is not None:
            return term
        terms = self._kg.labels.named(text, relation=relation)
        if not terms:
            kind, hint = (
                ("relation", "neighbours without a relation lists some")
                if relation
                else ("entity", "find_entity lists names that are close")
            )
            raise InputError(f"no {kind} of the graph is called {text!r}", hint)
        if len(terms) > 1:
            meanings = ", ".join(terms[:_MOST_SHOWN])
            raise InputError(f"{text!r} may mean {meanings}", "give the term that is meant")
        return terms[0]

    def _relations(self, term: Term) -> list[Term]:
        """Every relation of an entity, whatever the direction."""
        leaving, entering = (self._kg.store.relations_at([term], way)[0] for way in (False, True))
        return sorted({*leaving, *entering})


def _short(result: AskResult) -> AskResult:
    """What fits into a model's context: the first answers, each with one chain that proves it."""
    answers, notes = result["answers"], result["notes"]
    if (more := len(answers) - _MOST_ANSWERS) > 0:
        notes = [*notes, f"{more} more answers are not listed"]
    first: list[Answer] = [
        {**answer, "chains": answer["chains"][:1]} for answer in answers[:_MOST_ANSWERS]
    ]
    return {**result, "answers": first, "notes": notes}


def _entity(entity: TermInfo | Candidate, score: float) -> Entity:
    return Entity(
        term=entity.term,
        label=entity.name,
        kind=entity.kind,
        description=entity.description,
        score=round(score, 6),
    )
