"""read: the question is read as a query, which is executed in full and proved.

The query is the likeliest that the schema of the graph allows; that it comes to nothing is an
answer. One that cannot be executed gives way to the next likeliest, and is told. Where the reader
is not sure enough, it is said what was read, and nothing is answered.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple, get_args

from langgraph.runtime import Runtime

from ..answers.at_odds import connects_itself, queries_at_odds
from ..answers.class_words import names_in_either_number
from ..answers.computed import Computed
from ..answers.judging import left_out_of, without_reading
from ..answers.outcomes import apart_from_itself, weighed_and_narrowed
from ..answers.queries import Executed
from ..answers.readings import SHOWN, Answering, ForMethod, Read, ReadWith, answered, lacking_names
from ..answers.topics import best_topics, linked
from ..caching import once
from ..conversation.alone import FOLLOWS, pointing_word, stands_alone
from ..conversation.alone import SURE as SURE_ALONE
from ..conversation.before import before_of
from ..conversation.of_another import with_that_of_another
from ..decoding.plan import BeamPlan, usage_fields
from ..errors import NoPathError
from ..kg import KnowledgeGraph
from ..kg.labels.meanings import written_term
from ..kg.labels.names import normalise
from ..kg.store import metered
from ..kg.terms import Term, is_literal
from ..linking.plausible import everyday_words
from ..linking.spans import Span, addresses_in, bracketed
from ..linking.unlinked import may_be_missing, names_beside, words_of_no_name
from ..linking.words import FUNCTION_WORDS
from ..options import Options
from ..query.account import LEFT_OUT
from ..query.question import Asked, Before, Mentions, mentions_of
from ..query.reader import Reader, ReadQueries, ReadQuery, explained
from ..query.spelling import ValueKind
from ..query.words import in_words
from ..records import (
    NOTHING_CALLED,
    POINTS_NOWHERE,
    READER,
    SILENT,
    MentionRecord,
    Turn,
    Word,
    spent,
)
from ..state import State
from . import Node
from .link import current_part, unanswered

BEAMS = 5
_NEGLIGIBLE = 0.001
"""The probability of further readings that are not looked for."""
_LIKELY_ALONE = 0.6
"""The least probability with which a question stands alone where reading it so is as sure."""
_PLAIN = 0.9
"""The probability of a reading by itself that needs no other beside it."""
_COMPLETE = 0.99
"""The least probability with which a question that names a thing is read by itself alone."""
_VALUES = get_args(ValueKind)
_MAY_BE_ALONE = 0.3
"""The least probability with which a question may stand alone, where it is not sure with others."""


def read_node(tools: ReadWith, method: str) -> Node:
    """Answer the question in full by the query that it is read as."""
    return reading_node(tools, method, answered, plan_of)


def reading_node(
    tools: ReadWith, method: str, answering: Answering, plan: Callable[[Options], BeamPlan]
) -> Node:
    """Read the question as queries, and answer as `answering` does.

    A question of multiple choice or with topics that are given, and one about the conversation
    itself, is left to others; so is one with a name that a user must choose. The node raises
    ServiceError where the graph does not answer.
    """
    words = once(lambda: _words_of(tools.kg))

    def run(state: State, runtime: Runtime[Options]) -> State:
        since, options = perf_counter(), runtime.context or Options()
        if not reads_whole(state, options) or state.get("operation") is not None:
            return {}
        question, cost = state.get("asked", ""), dict[str, int]()
        with metered() as meter:
            mentions, notes = _mentions(tools, state)
            if options.on_ambiguous != "best" and any(mention["ambiguous"] for mention in mentions):
                return {}
            try:
                turns = state.get("turns", []) if options.conversation else []
                named = mentions_of(question, mentions)
                pointing = pointing_word(question, named.numbered)
                before = before_of(tools.kg, turns, pointing)
                asked = _may_ask_again(Asked(question, named, before), turns)
                _check_marked(tools.kg, asked)
                _check_addresses(tools.kg, asked)
                asked = replace(asked, unlinked=_names_not_linked(tools.kg, asked, words))
                if _names_missing(tools.kg, asked, asked.unlinked, words):
                    asked = _without_stand_ins(asked)
                _check_context(asked)
                asked, queries = _read_in_context(
                    tools.reader, asked, plan(options), tools.least_likely
                )
                notes, cost = [*notes, *queries.notes], usage_fields(queries.cost)
                likely = explained(asked, _askable(queries.queries), tools.account())
                likely = with_that_of_another(tools.kg, turns, asked, likely)
                with tools.reader.facts() as facts:
                    if tools.is_general:
                        likely = weighed_and_narrowed(facts, likely, asked)
                    likely = [apart_from_itself(facts, query, asked.before) for query in likely]
                outcome = answering(tools, asked, likely, options)
                if outcome.for_method is None and outcome.computed.status in SILENT:
                    outcome = _unanswered(tools.kg, asked, likely, outcome, words)
            except NoPathError as error:
                outcome = Read(Executed(Computed("abstained", notes=[error.message])))
        if outcome.for_method is None:
            changes = _answered_changes(outcome, mentions)
        else:
            changes = _handed_on(outcome.for_method, mentions, notes)
        _emit(runtime, changes, question)
        return {
            **unanswered(method),
            "question": question,
            **changes,
            "readings": outcome.readings,
            "account": outcome.account,
            "notes": _left_out_first([*notes, *outcome.computed.notes], outcome.account),
            "usage": spent(state.get("usage"), since, kg_requests=meter.requests or 1, **cost),
        }

    return run


def _left_out_first(notes: Sequence[str], account: Sequence[Word]) -> list[str]:
    """The notes, the one on words that were left out before all others."""
    left_out = left_out_of(account)
    return sorted(notes, key=lambda note: note not in left_out)


def _check_marked(kg: KnowledgeGraph, asked: Asked) -> None:
    """Raise NoPathError for what is marked in a question as a name or a term, and is none.

    Classes and relations are left to the reader. An endpoint may not list all that it has.
    """
    known = asked.mentions.numbered
    for span in bracketed(asked.question) if kg.pinned else ():
        text = asked.question[span.start : span.end]
        if not text.strip() or any(m.start < span.end and span.start < m.end for m in known):
            continue
        term = written_term(text)
        if term is None:
            if not names_in_either_number(kg, text):
                hint = "check how it is spelled, or leave the brackets out"
                raise NoPathError(f"{NOTHING_CALLED} {text}: {hint}")
        elif not is_literal(term) and not _is_known(kg, term):
            hint = "check the term, or give a name in its place"
            raise NoPathError(f"{NOTHING_CALLED} {text}: {hint}")


_CHECK_SPELLING = "check how it is spelled"


def _check_addresses(kg: KnowledgeGraph, asked: Asked) -> None:
    """Raise NoPathError for an e-mail address that is not in the graph.

    One that a large graph has may be no mention. An endpoint may not list all that it has.
    """
    for start, end in addresses_in(asked.question) if kg.pinned else ():
        address = asked.question[start:end]
        is_mention = any(m.start <= start and end <= m.end for m in asked.mentions.numbered)
        terms = f'"{address}"', f"<mailto:{address}>"
        if not is_mention and not any(_is_known(kg, term) for term in terms):
            raise NoPathError(f"{NOTHING_CALLED} {address}: {_CHECK_SPELLING}")


class _Words(NamedTuple):
    """The words of a graph that alone name no entity, and those that no missing thing has."""

    everyday: frozenset[str]
    no_names: frozenset[str]


def _words_of(kg: KnowledgeGraph) -> _Words:
    vocabulary = kg.labels.vocabulary()
    return _Words(everyday_words(vocabulary), words_of_no_name(vocabulary))


def _names_not_linked(kg: KnowledgeGraph, asked: Asked, words: Callable[[], _Words]) -> list[Span]:
    """What has the capitals of a name, and is no mention; an endpoint may not list all names."""
    if not kg.pinned:
        return []
    taken = [_with_unit(asked, number) for number in range(len(asked.mentions.numbered))]
    return names_beside(asked.question, taken, words().everyday)


def _names_missing(
    kg: KnowledgeGraph, asked: Asked, names: Sequence[Span], words: Callable[[], _Words]
) -> list[str]:
    """Those of some names that nothing in the graph has, nor has in a longer name."""
    texts = [asked.question[name.start : name.end] for name in names]
    return [
        text
        for text in texts
        if may_be_missing(text, words().no_names)
        and not kg.labels.containing(normalise(text).split())
    ]


def _with_unit(asked: Asked, number: int) -> tuple[int, int]:
    """The stretch of a mention, with the unit that follows a number."""
    mention, value = asked.mentions.numbered[number], asked.mentions.values.get(number)
    after = asked.question[mention.end :]
    unit = value.unit if value else ""
    if not unit or not after.lstrip().startswith(unit):
        return mention.start, mention.end
    return mention.start, mention.end + after.index(unit) + len(unit)


def _without_stand_ins(asked: Asked) -> Asked:
    """A question with a name that was not linked, for which no earlier thing may stand in.

    Only what it points at is left of what came before it.
    """
    if not pointing_word(asked.question, asked.mentions.numbered):
        return replace(asked, before=Before())
    earlier = replace(asked.before.asked, question="", mentions=())
    return replace(asked, before=replace(asked.before, asked=earlier, mentions=Mentions()))


def _may_ask_again(asked: Asked, turns: Sequence[Turn]) -> Asked:
    """A question that may be read as the one before: it is put in the same words, or how many.

    Any other that is read so has words for something else. *How many are there?* has none beside
    small ones.
    """
    words = normalise(asked.question)
    is_same = bool(turns) and words == normalise(turns[-1]["asked"])
    counts_again = asked.before.is_counted and FUNCTION_WORDS.issuperset(words.split())
    if not is_same and not counts_again:
        return asked
    return replace(asked, before=replace(asked.before, reading="", is_counted=False))


def _askable(queries: Sequence[ReadQuery]) -> list[ReadQuery]:
    """The queries that somebody may ask. Raises NoPathError where there are none."""
    askable = [query for query in queries if not connects_itself(query.bound)]
    if not askable:
        raise NoPathError("it was only read as the connection of a thing with itself")
    return askable


def _unanswered(
    kg: KnowledgeGraph,
    asked: Asked,
    likely: Sequence[ReadQuery],
    read: Read,
    words: Callable[[], _Words],
) -> Read:
    """What comes of a question that has no answer, without readings that are at odds with it.

    One with a name that the graph lacks has none, and that is told.
    """
    lacking = lacking_names(kg, asked, read.account, LEFT_OUT)
    if names := _names_missing(kg, asked, lacking, words):
        missing = [f"{NOTHING_CALLED} {name}: {_CHECK_SPELLING}" for name in names]
        computed = Computed("abstained", notes=[*left_out_of(read.account), *missing])
        return Read(Executed(computed), account=read.account)
    if asked.before != Before() and _likely_alone(asked) < _MAY_BE_ALONE:
        return read
    others = {
        in_words(kg, query.bound) for query in queries_at_odds(kg, asked, likely, read.account)
    }
    readings = [reading for reading in read.readings if reading["words"] not in others]
    if read.executed.words in others:
        notes = list(map(without_reading, read.computed.notes))
        read = replace(read, executed=Executed(replace(read.computed, notes=notes)))
    return replace(read, readings=readings)


def _is_known(kg: KnowledgeGraph, term: Term) -> bool:
    is_word = any(word.term == term for word in kg.labels.vocabulary())
    return is_word or kg.labels.describe([term])[0].degree > 0


def _check_context(asked: Asked) -> None:
    """Raise NoPathError for a question that points at what came before, where nothing did."""
    if asked.before != Before():
        return
    mentions = asked.mentions.numbered
    word = pointing_word(asked.question, mentions)
    if word and stands_alone(asked.question, mentions) < FOLLOWS:
        raise NoPathError(f'{POINTS_NOWHERE} "{word}" is: nothing that was answered says so')


def _read_in_context(
    reader: Reader, asked: Asked, plan: BeamPlan, least: float
) -> tuple[Asked, ReadQueries]:
    """The queries of a question, read with what came before it or, where it stands alone, without.

    Read with it, a question that is complete may take a condition of the one before. One that
    surely is so by its words, and names what it is about, is read by itself. One that likely stands
    alone is read so where that is as sure as reading it with them. One that may do so, or points at
    what came before, is read so only where it is less sure than `least` with them.
    """
    if asked.before == Before():
        return asked, reader.read(asked, plan)
    chance, mentions = _likely_alone(asked), asked.mentions.numbered
    if chance < _MAY_BE_ALONE:
        return asked, reader.read(asked, plan)
    without_context = replace(asked, before=Before())
    if chance >= _COMPLETE and any(mention.kind not in _VALUES for mention in mentions):
        return without_context, reader.read(without_context, plan)
    points = chance < SURE_ALONE and pointing_word(asked.question, mentions) != ""
    if chance < _LIKELY_ALONE or points:
        queries = reader.read(asked, plan)
        if _surest(queries) >= least:
            return asked, queries
        read_alone = reader.read(without_context, plan)
        is_alone = _surest(read_alone) >= _PLAIN
    else:
        read_alone = reader.read(without_context, plan)
        if _surest(read_alone) >= _PLAIN:
            return without_context, read_alone
        queries = reader.read(asked, plan)
        is_alone = _surest(read_alone) >= _surest(queries)
    cost = read_alone.cost + queries.cost
    if is_alone:
        return without_context, replace(read_alone, cost=cost)
    return asked, replace(queries, cost=cost)


def _likely_alone(asked: Asked) -> float:
    """The probability that a question needs nothing of what came before it, by its words."""
    return stands_alone(asked.question, asked.mentions.numbered)


def _surest(queries: ReadQueries) -> float:
    return max((query.probability for query in queries.queries), default=0.0)


def _answered_changes(outcome: Read, mentions: list[MentionRecord]) -> State:
    """Changes of the state where the query was answered, or could not be."""
    silent = outcome.computed.status == "abstained"
    topics = outcome.topics
    if topics is None or silent:  # of what is not answered only the names are sure
        topics = best_topics(mentions)
    return {**outcome.executed.changes, "reasoner": READER, "mentions": mentions, "topics": topics}


def _handed_on(method: ForMethod, mentions: list[MentionRecord], notes: Sequence[str]) -> State:
    """Changes of the state with which the question goes on to the method."""
    named = mentions if method.question is None else method.mentions
    changes: State = {"reasoner": "", "mentions": named, "topics": best_topics(named)}
    if method.question is not None:
        changes |= {"question": method.question, "asked": method.question}
    if (operation := method.operation) is not None:
        all_notes = [*notes, *operation["notes"]]
        changes["operation"] = {**operation, "mentions": mentions, "notes": all_notes}
        changes |= {"parts": method.parts, "part": -1}
    return changes


def _emit(runtime: Runtime[Options], changes: State, question: str) -> None:
    """Stream what was linked, computed and understood."""
    runtime.stream_writer({"event": "linked", "topics": changes.get("topics", [])})
    if (result := changes.get("result")) is not None:
        runtime.stream_writer({"event": "computed", "result": result})
    operation = changes.get("operation")
    if operation is not None or "asked" in changes:
        understood = {"asked": changes.get("asked", question), "operation": operation}
        runtime.stream_writer({"event": "understood", **understood})


def reads_whole(state: State, options: Options) -> bool:
    """Whether a question is read as a query, where the model can."""
    return options.queries and not state.get("choices") and state.get("given") is None


def _mentions(tools: ReadWith, state: State) -> tuple[list[MentionRecord], list[str]]:
    """The names of the question, and notes on them."""
    if settled := state.get("mentions"):
        return settled, []
    if part := current_part(state):
        return part["mentions"], part.get("notes", [])
    linking = linked(tools.linker, tools.kg, state.get("asked", ""))
    return linking.mentions, linking.notes


def plan_of(options: Options) -> BeamPlan:
    """The search for queries, as the options say."""
    width = options.beams or BEAMS
    groups = options.groups or width
    return BeamPlan(
        width, options.scores, groups, options.diversity, enough=SHOWN, least=_NEGLIGIBLE
    )
