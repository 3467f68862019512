"""Between RDF terms and the JSON records of the state."""

from collections.abc import Sequence

from ..decoding.wire import SEPARATOR, escape, spell_relation
from ..kg import Labels
from ..kg.terms import Path, Step, Term, Triple
from ..llm.prompt import Mention
from ..state import Candidate, Named, State, StepRecord


def name_terms(labels: Labels, terms: Sequence[Term]) -> dict[Term, Named]:
    """The readable name of each term, in one request."""
    distinct = list(dict.fromkeys(terms))
    names = labels.names(distinct)
    return {t: Named(term=t, label=n) for t, n in zip(distinct, names, strict=True)}


def step_records(labels: Labels, paths: Sequence[Path]) -> list[list[StepRecord]]:
    """The steps of each path, not yet verified."""
    named = name_terms(labels, [term for path in paths for s in path.steps for term in s.triple])
    return [
        [
            StepRecord(
                head=named[step.triple.head],
                relation=named[step.triple.relation],
                tail=named[step.triple.tail],
                inverse=step.inverse,
                verdict="unknown",
            )
            for step in path.steps
        ]
        for path in paths
    ]


def candidate(
    labels: Labels, path: Path, score: float, relevance: float, hypothesis: str = ""
) -> Candidate:
    """The record of a decoded path; without a `hypothesis` of the model's it is the path's end."""
    (record,) = candidates_of(labels, [path], score, relevance)
    return {**record, "hypothesis": hypothesis or record["hypothesis"]}


def candidates_of(
    labels: Labels, paths: Sequence[Path], score: float, relevance: float
) -> list[Candidate]:
    """The records of paths that are equally likely."""
    chains = step_records(labels, paths)
    named = name_terms(labels, [term for path in paths for term in (path.topic, path.end)])
    return [
        Candidate(
            topic=named[path.topic],
            steps=steps,
            answer=named[path.end],
            hypothesis=named[path.end]["label"],
            text=spell(named[path.topic], steps),
            score=round(score, 6),
            relevance=round(relevance, 6),
        )
        for path, steps in zip(paths, chains, strict=True)
    ]


def spell(topic: Named, steps: Sequence[StepRecord]) -> str:
    """A chain in one line, as the model writes it."""
    line = [escape(topic["label"])]
    for step in steps:
        line.append(spell_relation(escape(step["relation"]["label"]), step["inverse"]))
        line.append(escape((step["head"] if step["inverse"] else step["tail"])["label"]))
    return SEPARATOR.join(line)


def path_of(topic: Term, steps: Sequence[StepRecord]) -> Path:
    """The path that a chain of records stands for."""
    return Path(
        topic,
        tuple(
            Step(
                Triple(step["head"]["term"], step["relation"]["term"], step["tail"]["term"]),
                step["inverse"],
            )
            for step in steps
        ),
    )


def question_mentions(state: State) -> list[Mention]:
    """Where the question names its topic entities, as prompts want it."""
    best = [(mention, mention["candidates"][0]) for mention in state.get("mentions", [])]
    return [Mention(m["start"], m["end"], entity["label"], entity["kind"]) for m, entity in best]
