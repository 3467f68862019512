"""Rankers agree with their formulas, shares are fair, DoG's triples are those of a plain search."""

import math
from collections.abc import Sequence

import pytest
from groundwalk.agent.kg import Term, Triple
from groundwalk.agent.kg.walking.hubs import shares
from groundwalk.agent.kg.walking.ranking import BM25Ranker, EmbeddingRanker, top_connected, words
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.embeddings import Embeddings

from ...properties import holds_for

TEXTS = st.lists(st.sampled_from(["capital", "of", "river", "born", "in"]), max_size=5)


def bm25(question: list[str], texts: list[list[str]]) -> list[float]:
    """Lucene's BM25 as textbooks write it, with k1 = 1.5 and b = 0.75."""
    mean = sum(map(len, texts)) / max(1, len(texts))
    scores = [0.0] * len(texts)
    for word in set(question):
        holding = sum(word in text for text in texts)
        rarity = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for i, text in enumerate(texts):
            if n := text.count(word):
                scores[i] += rarity * n / (n + 1.5 * (0.25 + 0.75 * len(text) / mean))
    return scores


@given(TEXTS, st.lists(TEXTS, max_size=6))
def test_bm25_is_the_formula(question: list[str], texts: list[list[str]]) -> None:
    found = BM25Ranker().scores(" ".join(question), [" ".join(text) for text in texts])
    counted = [[word for word in text if word not in ("of", "in")] for text in (question, *texts)]
    assert found == pytest.approx(bm25(counted[0], counted[1:]), abs=1e-9)


@pytest.mark.parametrize(
    ("question", "relation", "other"),
    [
        ("What is the CAPITAL of France?", "capital", "population"),
        ("Where was Ada born?", "people.person.born_in", "people.person.died_in"),
        ("Qui a réalisé ce film ?", "realise par", "écrit par"),
        ("Кто НАПИСАЛ эту книгу?", "написал", "издал"),
        ("法国的首都是哪里？", "首都", "人口"),
        ("東京タワーの高さは？", "高さ", "所在地"),
        ("프랑스의 수도는 어디입니까?", "수도", "인구"),
        ("เมืองหลวงของฝรั่งเศสคืออะไร", "เมืองหลวง", "ประชากร"),
        ("ما عاصمة فرنسا؟", "عاصمة", "سكان"),
    ],
)
def test_words_are_shared_in_any_script(question: str, relation: str, other: str) -> None:
    same, different = BM25Ranker().scores(question, [relation, other])
    assert same > different == 0


def test_words_of_scripts_without_spaces_are_pairs() -> None:
    assert words("Tokyo 東京都, 수도") == ["tokyo", "東京", "京都", "수도"]
    assert words("犬 é") == ["犬", "e"]


def test_function_words_do_not_count() -> None:
    texts = ["capital of", "place of birth"]
    assert BM25Ranker().scores("the capital of Peru", texts)[1] == 0


class Letters(Embeddings):
    """Counts letters, so that a cosine is easy to work out; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.questions = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked.append(texts)
        return [[float(text.count(letter)) for letter in "abc"] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        self.questions += 1
        return [float(text.count(letter)) for letter in "abc"]


def cosine(left: str, right: str) -> float:
    a, b = ([text.count(letter) for letter in "abc"] for text in (left, right))
    lengths = math.hypot(*a) * math.hypot(*b)
    return sum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0


@given(
    st.lists(st.tuples(st.text("abc", max_size=3), st.lists(st.text("abc", max_size=3)))),
    st.integers(1, 4),
    st.integers(1, 4),
)
def test_embeddings_are_compared_by_cosine(
    calls: list[tuple[str, list[str]]], most: int, batch: int
) -> None:
    model = Letters()
    ranker = EmbeddingRanker(model, most=most, batch=batch)
    for question, texts in calls:
        expected = [cosine(question, text) for text in texts]
        assert ranker.scores(question, texts) == pytest.approx(expected, abs=1e-6)
    assert all(1 <= len(some) <= batch for some in model.asked)


def test_no_text_is_embedded_twice_while_it_is_remembered() -> None:
    model = Letters()
    ranker = EmbeddingRanker(model, most=3, batch=2)
    for texts in (["a", "b", "a"], ["b", "c"], ["b"], ["d"], ["a"]):
        ranker.scores("abc", texts)
    assert model.asked == [["a", "b"], ["c"], ["d"], ["a"]]
    assert model.questions == 1


@given(
    st.lists(st.tuples(st.integers(0, 12), st.sampled_from([1.0, 0.5, 0.1])), min_size=1),
    st.integers(0, 60),
)
def test_shares_are_fair(groups: list[tuple[int, float]], places: int) -> None:
    sizes, weights = [size for size, _ in groups], [weight for _, weight in groups]
    given = shares(sizes, weights, places)
    assert sum(given) == min(places, sum(sizes))
    assert all(0 <= share <= size for share, size in zip(given, sizes, strict=True))
    if len(sizes) <= places:
        floor = max(1, places // (2 * len(sizes)))
        for share, size, weight in zip(given, sizes, weights, strict=True):
            assert share >= min(size, floor)
            for other, more, heavier in zip(given, sizes, weights, strict=True):
                assert not (heavier > weight and more >= size) or other >= share
                if heavier == weight and size > share:
                    assert other <= share + 1 or other <= floor


NODES = [f"<n{i}>" for i in range(5)]
TRIPLES = st.builds(
    Triple, st.sampled_from(NODES), st.sampled_from(["<r>", "<s>"]), st.sampled_from(NODES)
)
SCORED = st.dictionaries(TRIPLES, st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=9)
TOPICS = st.sets(st.sampled_from([*NODES, "<nowhere>"]), max_size=2)


def ways(
    ranked: Sequence[Triple], node: Term, topics: set[Term], met: frozenset[Term] = frozenset()
) -> list[list[int]]:
    """Every simple way from a node to a topic entity, as places in the ranking."""
    if node in topics:
        return [[]]
    found: list[list[int]] = []
    for i, triple in enumerate(ranked):
        for here, there in ((triple.head, triple.tail), (triple.tail, triple.head)):
            if here == node and there not in met | {node}:
                found += [[i, *way] for way in ways(ranked, there, topics, met | {node})]
    return found


def searched(scored: dict[Triple, float], topics: set[Term], k: int) -> list[Triple]:
    """The rule of DoG's appendix B, by listing every way."""
    ranked = sorted(scored, key=lambda triple: (-scored[triple], triple))
    kept: set[int] = set()
    for i, triple in enumerate(ranked):
        ends = [ways(ranked, end, topics) for end in (triple.head, triple.tail)]
        best = [min(some, key=lambda way: (len(way), way)) for some in ends if some]
        if best:
            with_way = kept | {i, *min(best, key=len)}
            kept = with_way if len(with_way) <= k else kept
    return [ranked[i] for i in sorted(kept)]


@holds_for(SCORED, TOPICS, st.integers(0, 9), st.data(), quick=60, slow=300)
def test_the_best_connected_triples(
    scored: dict[Triple, float], topics: set[Term], k: int, data: st.DataObject
) -> None:
    triples = data.draw(st.permutations(sorted(scored)))
    again = data.draw(st.lists(st.sampled_from(triples))) if triples else []
    scores = [scored[triple] + 1e-9 * i for i, triple in enumerate(triples)] + [-1.0] * len(again)
    found = top_connected([*triples, *again], topics, scores, k)
    assert found == searched(scored, topics, k)
    assert len(found) == len(set(found)) <= k
    reached, left = set(topics), set(found)
    while near := {triple for triple in left if {triple.head, triple.tail} & reached}:
        reached |= {end for triple in near for end in (triple.head, triple.tail)}
        left -= near
    assert not left


def test_a_triple_is_connected_from_its_nearer_end() -> None:
    near, far = Triple("<t>", "<r>", "<b>"), Triple("<t>", "<r>", "<c>")
    over_c, over_b = Triple("<a>", "<r>", "<c>"), Triple("<a>", "<r>", "<b>")
    triples = [over_c, over_b, near, far]
    assert top_connected(triples, ["<t>"], [1.0, 0.9, 0.0, 0.0], 3) == [over_c, near, far]
    assert top_connected(triples, ["<t>"], [1.0, 0.9, 0.0, 0.0], 4) == triples


def test_a_far_triple_brings_what_connects_it() -> None:
    chain = [Triple(f"<n{i}>", "<r>", f"<n{i + 1}>") for i in range(4)]
    scores = [0.1, 0.0, 0.0, 1.0]
    assert top_connected(chain, ["<n0>"], scores, 4) == [chain[i] for i in (3, 0, 1, 2)]
    assert top_connected(chain, ["<n0>"], scores, 3) == chain[:3]
    assert top_connected(chain, ["<n4>"], scores, 1) == [chain[3]]
    assert top_connected(chain, ["<n9>"], scores) == []
