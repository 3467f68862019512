"""What conclusions name, and what chains answer with."""

from time import perf_counter

import pytest
from groundwalk.agent.decoding.chain_search import ChainHypothesis
from groundwalk.agent.kg import Path, Reading
from groundwalk.agent.kg.terms import Step, Triple
from groundwalk.agent.records import Named
from groundwalk.graphs.dog.conclusions import Concluded, conclude, elect, read_conclusion


class KG:
    """The part of a KG that is asked: names are the last pieces of the terms."""

    reading = Reading("keep")

    @property
    def labels(self) -> "KG":
        return self

    @staticmethod
    def names(terms: list[str]) -> list[str]:
        return [term[5:-1] for term in terms]

    @staticmethod
    def prove(paths: list[Path]) -> list[Path | None]:
        return [None if path.end == "<urn:gone>" else path for path in paths]

    @staticmethod
    def used(path: Path, proof: Path) -> list[str]:
        del path, proof
        return []


def named(*names: str) -> list[Named]:
    return [Named(term=f"<urn:{name}>", label=name) for name in names]


KNOWN = named("Oslo", "Rome", "Tom and Jerry", "The Who", "Georgia (state)", "St. Louis, Missouri")


@pytest.mark.parametrize(
    ("text", "answers", "asserted"),
    [
        ("So it is Oslo. The answer is * Oslo", ["Oslo"], []),
        ("* oslo.", ["Oslo"], []),
        ("the answer is *Oslo*, which is a city", ["Oslo"], []),
        ("**Oslo** lies in Norway", ["Oslo"], []),
        ("the answer is * Oslo, and * Rome.", ["Oslo", "Rome"], []),
        ("the answers are *Oslo, and *Rome.", ["Oslo", "Rome"], []),
        ("* Oslo\n* Rome", ["Oslo", "Rome"], []),
        ("* Rome, Oslo and the Who", ["Rome", "Oslo", "The Who"], []),
        ("* Tom and Jerry", ["Tom and Jerry"], []),
        ("* Georgia", ["Georgia (state)"], []),
        ("* St. Louis, Missouri.", ["St. Louis, Missouri"], []),
        ("* Oslo, the capital of Rome", ["Oslo"], []),
        ("* Atlantis", [], ["Atlantis"]),
        ("* Oslo and * Atlantis!", ["Oslo"], ["Atlantis"]),
        ("* Oslofjord", [], ["Oslofjord"]),
        ("Rome is no answer: the answer is the Who.", ["The Who"], []),
        ("Answer: Rome", ["Rome"], []),
        ("Oslo and Rome are cities.", [], []),
        ("*", [], []),
        ("****", [], []),
        ("", [], []),
    ],
)
def test_conclusions_are_read_tolerantly(
    text: str, answers: list[str], asserted: list[str]
) -> None:
    found = read_conclusion(text, KNOWN)
    assert ([entity["label"] for entity in found[0]], found[1]) == (answers, asserted)


@pytest.mark.parametrize("known", [("C", "C++", "C#"), ("C#", "C++", "C")])
def test_names_that_differ_in_their_signs_alone_stay_apart(known: tuple[str, ...]) -> None:
    for text, answers in (
        ("* C", ["C"]),
        ("* C++.", ["C++"]),
        ("the answer is: c#", ["C#"]),
        ("* C#, C++ and C", ["C#", "C++", "C"]),
    ):
        found, asserted = read_conclusion(text, named(*known))
        assert [entity["label"] for entity in found] == answers and not asserted
    assert read_conclusion("* C#", named("C")) == ([], ["C#"])


@pytest.mark.parametrize("part", ["*", "* ", "answer ", "and ", "*and ", "#", "* \n"])
def test_no_conclusion_takes_long(part: str) -> None:
    since = perf_counter()
    for text in (part * (20_000 // len(part)), "* " + part * (20_000 // len(part))):
        read_conclusion(text, KNOWN)
    assert perf_counter() - since < 5


def step(head: str, tail: str, *, inverse: bool = False) -> Step:
    return Step(Triple(f"<urn:{head}>", "<urn:r>", f"<urn:{tail}>"), inverse)


def chain(*steps: Step, score: float = -1.0, relevance: float = 0.5) -> ChainHypothesis:
    return ChainHypothesis(steps, (), (), score, relevance, True)


def concluded(*found: tuple[ChainHypothesis, str | None], topics: str = "a") -> list[Concluded]:
    return conclude(KG(), [f"<urn:{t}>" for t in topics], found)  # type: ignore[arg-type]


def only(
    *found: tuple[ChainHypothesis, str | None], topics: str = "a"
) -> tuple[list[str], str, str]:
    (own,) = concluded(*found, topics=topics)
    assert own.chain
    labels = [answer["label"] for answer in own.answers]
    return labels, own.chain.get("form", ""), own.chain["text"]


def test_a_walk_to_its_answer_is_a_path() -> None:
    walk = chain(step("a", "b"), step("c", "b", inverse=True))
    assert only((walk, None)) == (["c"], "path", "a -> r -> b -> ^r -> c")
    assert only((walk, "* c")) == (["c"], "path", "a -> r -> b -> ^r -> c")
    assert only((walk, "* b"))[:2] == (["b"], "chain")
    assert only((walk, "* b and * c"))[:2] == (["b", "c"], "chain")


def test_a_chain_that_branches_is_spelled_triple_by_triple() -> None:
    branched = chain(step("a", "b"), step("a", "c"))
    assert only((branched, None)) == (["c"], "chain", "a -> r -> b | a -> r -> c")


def test_topics_and_what_no_triple_brings_in_are_no_answers() -> None:
    back = chain(step("a", "b"), step("b", "a"))
    assert only((back, None))[0] == []
    assert only((back, "* a"))[0] == []
    (own,) = concluded((back, "* d"))
    assert (own.answers, own.asserted) == ([], ["d"])
    assert only((chain(step("a", "b")), None), topics="ab")[0] == []


def test_the_best_chain_with_an_answer_decides() -> None:
    found = concluded(
        (chain(step("a", "b"), score=-0.1, relevance=0.9), "* d"),
        (chain(step("a", "b"), score=-0.2, relevance=0.7), "* b"),
        (chain(step("a", "c"), score=-0.3), "* c"),
        (chain(step("a", "b"), step("b", "c"), score=-0.4), "* b"),
    )
    answers, unsupported, confidence = elect(found)
    assert [answer["label"] for answer in answers] == ["b"]
    assert [len(proof) for proof in answers[0]["chains"]] == [1, 2]
    assert answers[0].get("form") == "chain" and 0 < answers[0]["score"] <= 1
    assert (unsupported, confidence) == (["d"], 0.7)
    assert elect([]) == ([], [], 0.0)


def test_a_text_without_triples_only_asserts() -> None:
    (own,) = concluded((chain(), "* b"))
    assert own == Concluded(None, [], ["b"])
    assert elect([own]) == ([], ["b"], 0.0)


def test_chains_that_the_store_no_longer_holds_are_left_out() -> None:
    kept, gone = chain(step("a", "b")), chain(step("a", "b"), step("b", "gone"))
    (own,) = concluded((gone, None), (kept, None))
    assert own.chain and own.chain["text"] == "a -> r -> b"
