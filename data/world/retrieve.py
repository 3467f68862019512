"""Retrieve candidate answers for the questions by their words, for the method ``paths``.

Run as ``python -m groundwalk.data.world.retrieve``: ``retrieved.jsonl`` is
written anew. Of all walks of up to two hops from what a question names, BM25
ranks those whose relations share words with it; the ends of the ten best are
the candidates, each with its share of their scores. No answer is looked at.
With ``--check`` nothing is written; the exit status is 1 when the file is not
up to date.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing

from ...agent.decoding.wire import spell_paths
from ...agent.kg import KnowledgeGraph, open_kg
from ...agent.kg.walking.listing import list_walks
from ...agent.kg.walking.ranking import BM25Ranker
from ...agent.kg.walking.view import GraphView, ViewLimits
from ...agent.linking import LabelLinker
from ...graphs.retrieve import rank
from .answers import FILES, HERE, Question, read_questions

RETRIEVED_FILE = HERE / "retrieved.jsonl"
HOPS = 2
BEST = 10


def candidates_of(kg: KnowledgeGraph, linker: LabelLinker, question: str) -> dict[str, float]:
    """Return the likeliest entities by their terms, with their probabilities."""
    topics = [mention.candidates[0].term for mention in linker.link(question)]
    view = GraphView(kg.walks, kg.walk_labels, ViewLimits(), question)
    paths = list_walks(view, topics, HOPS).paths
    best = rank(question, paths, spell_paths(kg.walk_labels, paths), BM25Ranker())[:BEST]
    shares = defaultdict[str, float](float)
    for path, score in best:
        shares[path.end] += score
    total = sum(shares.values())
    likely = sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))
    return {term: round(share / total, 4) for term, share in likely if share > 0}


def to_line(question: Question, candidates: dict[str, float]) -> str:
    """Return what was found for ``question`` as one line of JSON."""
    rows = [{"entity": term, "score": share} for term, share in candidates.items()]
    return json.dumps({"id": question["id"], "candidates": rows}, ensure_ascii=False) + "\n"


def retrieve() -> str:
    """Return the content of the file."""
    with closing(open_kg("world")) as kg:
        linker = LabelLinker(kg.labels)
        questions = [question for file in FILES for question in read_questions(file)]
        candidates = (candidates_of(kg, linker, question["question"]) for question in questions)
        return "".join(map(to_line, questions, candidates))


def main(arguments: Sequence[str] | None = None) -> int:
    """Rewrite the file, or only check it; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    content = retrieve()
    if parser.parse_args(arguments).check:
        stale = RETRIEVED_FILE.read_text(encoding="utf-8") != content
        print(f"{RETRIEVED_FILE.name} is {'not ' if stale else ''}up to date")
        return int(stale)
    RETRIEVED_FILE.write_text(content, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
