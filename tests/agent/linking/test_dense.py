"""Linking by embeddings: the nearest by cosine, where names find nothing."""

import math
from collections import Counter

import pytest
from groundwalk.agent.kg import KnowledgeGraph, Term
from groundwalk.agent.linking import LabelLinker, Mention
from groundwalk.agent.linking.dense import DenseLinker
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.embeddings import Embeddings

from .films import BASE, films

TERMS = [
    f"<{BASE}{key}>" for key in ("kubrick", "wadleigh", "us", "schindler", "paris", "springfield-a")
]


class Trigrams(Embeddings):
    """Counts the letters' trigrams of a text: alike where the words are."""

    size = 512

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        padded = f"  {text.lower()} "
        counts = Counter(
            sum(ord(letter) * 31**place for place, letter in enumerate(padded[i : i + 3]))
            % self.size
            for i in range(len(padded) - 2)
        )
        return (
            [float(counts[place]) for place in range(self.size)]
            if text.strip("-")
            else [0.0] * self.size
        )


def cosine(one: str, other: str) -> float:
    a, b = Trigrams().embed_documents([one, other])
    product = sum(x * y for x, y in zip(a, b, strict=True))
    lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
    return product / lengths if lengths else 0.0


class Nothing:
    """A linker that finds nothing."""

    def link(self, question: str) -> list[Mention]:
        return []


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    return films(tmp_path_factory.mktemp("films"))


def dense(kg: KnowledgeGraph, least: float, *stretches: str) -> DenseLinker:
    def finder(question: str) -> list[tuple[int, int]]:
        starts = [(question.index(text), text) for text in stretches if text in question]
        return [(start, start + len(text)) for start, text in starts]

    return DenseLinker(
        LabelLinker(kg.labels),
        kg.labels,
        TERMS,
        Trigrams(),
        finder=finder if stretches else None,
        least=least,
    )


def keys(mentions: list[Mention]) -> list[tuple[str, str]]:
    return [(m.text, m.candidates[0].term[1:-1].removeprefix(BASE)) for m in mentions]


def test_part_of_a_name_is_found_beside_whole_ones(kg: KnowledgeGraph) -> None:
    question = "did wadleigh live in France, the states or Nowhere"
    linker = dense(kg, 0.4, "the states", "wadleigh", "France", "Nowhere")
    assert keys(linker.link(question)) == [
        ("wadleigh", "wadleigh"),
        ("France", "france"),
        ("the states", "us"),
    ]


def test_stretches_that_overlap_are_not_compared_twice(kg: KnowledgeGraph) -> None:
    def finder(question: str) -> list[tuple[int, int]]:
        return [(4, 25), (0, 10)]

    linker = DenseLinker(Nothing(), kg.labels, TERMS, Trigrams(), finder=finder, least=0.3)
    assert keys(linker.link("united sta springfield")) == [("united sta", "us")]


@pytest.mark.filterwarnings("error")
def test_the_whole_question_is_compared_where_nothing_is_found(kg: KnowledgeGraph) -> None:
    assert keys(dense(kg, 0.4).link("the list of schndlers")) == [
        ("the list of schndlers", "schindler")
    ]
    assert keys(dense(kg, 0.4).link("Paris and the list of schndlers")) == [("Paris", "paris")]
    assert dense(kg, 0.4).link("zzz") == []
    assert dense(kg, 0.4).link("---") == []
    assert dense(kg, 0.4).link("") == []


def test_an_entity_is_one_topic(kg: KnowledgeGraph) -> None:
    linker = dense(kg, 0.3, "the united st", "unite")
    assert keys(linker.link("is the united st unite")) == [("the united st", "us")]
    assert keys(linker.link("US is the united st")) == [("US", "us")]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.sampled_from("kubrickpasnt ei-"), min_size=1), st.floats(0, 1))
def test_candidates_are_the_nearest_by_cosine(kg: KnowledgeGraph, text: str, least: float) -> None:
    cosines: dict[Term, float] = {
        info.term: cosine(text, info.label) for info in kg.labels.describe(TERMS)
    }
    linker = DenseLinker(Nothing(), kg.labels, TERMS[::-1] * 2, Trigrams(), least=least)
    found = {c.term: c for mention in linker.link(text) for c in mention.candidates}
    for term, expected in cosines.items():
        if abs(expected - least) > 1e-5:
            assert (term in found) == (expected > least and bool(text.strip()))
        if term in found:
            assert found[term].score == pytest.approx(0.7 * expected, abs=1e-5)
            assert found[term].matched == "dense"
    scores = [candidate.score for candidate in found.values()]
    assert scores == sorted(scores, reverse=True)


def test_without_entities_nothing_is_added(kg: KnowledgeGraph) -> None:
    linker = DenseLinker(LabelLinker(kg.labels), kg.labels, [], Trigrams())
    assert linker.link("nobody") == []
    assert keys(linker.link("France")) == [("France", "france")]
