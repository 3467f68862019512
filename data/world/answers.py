"""Derive the answers of the world questions from their SPARQL over world.ttl.

Run as ``python -m groundwalk.data.world.answers`` or as
``python data/world/answers.py``: all files are rewritten with fresh answers.
With ``--check`` nothing is written; the exit status is 1, and the ids are
named, when a line is not up to date.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import pyoxigraph as ox

HERE = Path(__file__).resolve().parent
GRAPH_FILE = HERE / "world.ttl"
QUESTIONS_FILE = HERE / "questions.jsonl"
SEALED_FILE = HERE / "sealed.jsonl"
TUNING_FILE = HERE / "tuning.jsonl"
FILES = (QUESTIONS_FILE, SEALED_FILE, TUNING_FILE)
Term = ox.NamedNode | ox.Literal
RDFS_LABEL = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")


class Answer(TypedDict):
    """One answer: an N-Triples term and its label."""

    term: str
    label: str


class Question(TypedDict):
    """One line of a file, its fields in their written order."""

    id: str
    question: str
    hops: int | None
    tags: list[str]
    topics: list[str]
    sparql: str | None
    answers: list[Answer]
    why: str | None


def load_graph(path: Path) -> ox.Store:
    """Return a store that holds the Turtle file at ``path``."""
    store = ox.Store()
    store.bulk_load(path=str(path), format=ox.RdfFormat.TURTLE)
    return store


def read_questions(path: Path) -> list[Question]:
    """Return the questions in ``path``, one for each line."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def label_of(store: ox.Store, term: Term) -> str:
    """Return the first English or untagged rdfs:label of ``term``, or the text of a literal."""
    if isinstance(term, ox.Literal):
        return term.value
    labels = sorted(
        quad.object.value
        for quad in store.quads_for_pattern(term, RDFS_LABEL, None, None)
        if isinstance(quad.object, ox.Literal) and quad.object.language in (None, "en")
    )
    if not labels:
        raise ValueError(f"no label for {term}")
    return labels[0]


def answer_terms(store: ox.Store, sparql: str) -> set[Term]:
    """Return the distinct values of ?answer, all of which must be IRIs or literals."""
    solutions = store.query(sparql)
    if not isinstance(solutions, ox.QuerySolutions):
        raise ValueError(f"not a SELECT query: {sparql}")
    terms: set[Term] = set()
    for solution in solutions:
        term = solution["answer"]
        if not isinstance(term, Term):
            raise ValueError(f"an answer is neither an IRI nor a literal: {term}")
        terms.add(term)
    return terms


def derive_answers(store: ox.Store, sparql: str | None) -> list[Answer]:
    """Return the answers of ``sparql`` sorted by label; none without a query."""
    if sparql is None:
        return []
    answers: list[Answer] = [
        {"term": str(term), "label": label_of(store, term)} for term in answer_terms(store, sparql)
    ]
    return sorted(answers, key=lambda answer: (answer["label"], answer["term"]))


def with_answers(store: ox.Store, question: Question) -> Question:
    """Return a copy of ``question`` whose answers are derived afresh."""
    fresh = question.copy()
    fresh["answers"] = derive_answers(store, question["sparql"])
    return fresh


def to_line(question: Question) -> str:
    """Return ``question`` as one line of JSON."""
    return json.dumps(question, ensure_ascii=False) + "\n"


def out_of_date(old: Sequence[Question], new: Sequence[Question]) -> list[str]:
    """Return the ids of the questions whose answers differ."""
    pairs = zip(old, new, strict=True)
    return [before["id"] for before, after in pairs if before != after]


def main(arguments: Sequence[str] | None = None) -> int:
    """Rewrite all files, or only check them; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    check = bool(parser.parse_args(arguments).check)
    store = load_graph(GRAPH_FILE)
    stale: list[str] = []
    for file in FILES:
        old = read_questions(file)
        new = [with_answers(store, question) for question in old]
        if check:
            stale += out_of_date(old, new)
        else:
            file.write_text("".join(map(to_line, new)), encoding="utf-8")
    if stale:
        print("not up to date: " + " ".join(stale), file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
