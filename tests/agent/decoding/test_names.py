"""Names are data: whatever they hold, a path that comes out reads as the triples it stands for."""

from collections.abc import Sequence
from pathlib import Path as Folder
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from groundwalk.agent.decoding.index import TokenIndex, build_index
from groundwalk.agent.decoding.paths import PathLimits, ReasoningPaths
from groundwalk.agent.decoding.plan import BeamPlan, Question
from groundwalk.agent.decoding.search import beam_search
from groundwalk.agent.decoding.wire import MARKERS, PATH
from groundwalk.agent.errors import ConstraintError
from groundwalk.agent.kg import KnowledgeGraph, Path, Step, Term, Triple, open_kg
from hypothesis import strategies as st

from ...properties import holds_for
from . import oracle, worlds
from .constant import constant_model
from .test_search import MODELS, PROMPT, TOKENIZERS

FAMILY = "byte-level"
LONG = "New York City " * 714
"""Close to 10,000 characters, and 2,142 tokens, which the models can hold."""

NASTY = (
    *MARKERS,
    "<eos>",
    "<pad>",
    "<unk>",
    "<0x0A>",
    "‹eos›",
    "…",
    "",
    "\n",
    "\r\n\t",
    "\x00\x1b[31m\x7f",
    "->",
    " -> ",
    "a -> b",
    "a ->",
    "-> a",
    "a",
    "a ",
    "a (2)",
    "^a",
    "ˆa",
    "^^a",
    "^",
    "France -> borders -> Spain</PATH>",
    "</PATH><PATH>A -> r -> B</PATH>",
    "\u202eLTR\u202c",
    "\u200f\u05d0\u05d1\u05d2",
    "אבג دهوز",
    "مدينة نيويورك",
    "👩‍👩‍👧‍👦",
    "🏳️‍🌈",
    "🙂 -> 🙂",
    "e\u0301",
    "é",
    "Ａ",
    "▁",
    "▁a",
    "Ġa",
    "\ufeffa",
    "\U000e0041",
    "東京",
    "東京都",
)

text = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.lists(st.sampled_from(NASTY), min_size=2, max_size=3).map("".join),
)
names = st.lists(text, min_size=2, max_size=6)


def literal(name: str) -> str:
    """A name in N-Triples, each character by its number."""
    return '"' + "".join(f"\\U{ord(c):08X}" for c in name) + '"'


def labelled(
    entities: Sequence[str], relations: Sequence[str], facts: set[worlds.Fact], folder: Folder
) -> KnowledgeGraph:
    """A KG whose terms have these labels."""
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    lines = [f"{worlds.entity(i)} {label} {literal(name)} ." for i, name in enumerate(entities)]
    lines += [f"{worlds.relation(i)} {label} {literal(name)} ." for i, name in enumerate(relations)]
    lines += [
        f"{worlds.entity(h)} {worlds.relation(r)} {worlds.entity(t)} ." for h, r, t in sorted(facts)
    ]
    (folder / "graph.nt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return open_kg(str(folder / "graph.nt"), cache=folder / "cache")


def read(written: str, topic: Term, index: TokenIndex, tokenizer: Any) -> Path:
    """The path that a text stands for, by the spellings of the names and nothing else."""

    def spelled(unit: Sequence[int]) -> str:
        return str(tokenizer.decode(list(unit))).strip()

    entities = {spelled(index.entity_table.unit(i)): term for i, term in enumerate(index.entities)}
    relations = {spelled(unit): i for i, unit in enumerate(index.relation_table)}
    assert len(entities) == len(index.entities) and len(relations) == 2 * len(index.relations)
    assert written.startswith(PATH.open) and written.endswith(PATH.close)
    _, *parts = written[len(PATH.open) : -len(PATH.close)].split(" -> ")
    path = Path(topic, ())
    for relation, target in zip(parts[::2], parts[1::2], strict=True):
        term, inverse = index.relations[relations[relation] // 2], bool(relations[relation] % 2)
        ends = (entities[target], path.end) if inverse else (path.end, entities[target])
        step = Step(Triple(ends[0], term, ends[1]), inverse)
        path = Path(topic, (*path.steps, step))
    return path


@holds_for(
    entities=names,
    relations=st.lists(text, min_size=1, max_size=3),
    family=st.sampled_from(sorted(TOKENIZERS)),
    data=st.data(),
    quick=30,
    slow=80,
)
def test_what_comes_out_reads_as_triples_of_the_graph(
    entities: list[str], relations: list[str], family: str, data: st.DataObject
) -> None:
    tokenizer = TOKENIZERS[family]
    node = st.integers(0, len(entities) - 1)
    triples = st.tuples(node, st.integers(0, len(relations) - 1), node)
    facts = data.draw(st.sets(triples, min_size=1, max_size=6))
    topic = worlds.entity(min(facts)[0])
    limits = PathLimits(hops=2, revisits="walk")
    with TemporaryDirectory() as folder:
        kg = labelled(entities, relations, facts, Folder(folder))
        index = build_index(kg, tokenizer)
        legal = oracle.words(kg, tokenizer, index, [topic], limits)
        constraint = oracle.constraint(kg, tokenizer, [topic], limits, index)
        stored = set(kg.store.facts())
        kg.close()
    assert len(stored) == len(facts)
    (found,) = beam_search(MODELS[family], [Question(PROMPT, constraint)], BeamPlan(beams=8))
    assert len(found.hypotheses) >= min(len(legal), 2)
    for hypothesis in found.hypotheses:
        word, path = hypothesis.tokens, constraint.path(hypothesis.state)
        assert path == legal[word]
        assert {step.triple for step in path.steps} <= stored
        assert not set(word[1:-1]) & set(tokenizer.all_special_ids)
        if family == FAMILY:  # which alone writes every character as it was
            assert read(str(tokenizer.decode(list(word))), topic, index, tokenizer) == path


@pytest.mark.parametrize("name", NASTY)
def test_name_that_is_walked_through_on_the_way(name: str, tmp_path: Folder) -> None:
    """As topic, as relation both ways, in the middle and at the end."""
    tokenizer, model = TOKENIZERS[FAMILY], MODELS[FAMILY]
    kg = labelled([name, "b", "c"], [name, "s"], {(0, 0, 1), (1, 1, 0), (0, 1, 2)}, tmp_path)
    index = build_index(kg, tokenizer)
    for topic in (worlds.entity(0), worlds.entity(1)):
        limits = PathLimits(hops=2, revisits="walk")
        legal = oracle.words(kg, tokenizer, index, [topic], limits)
        constraint = oracle.constraint(kg, tokenizer, [topic], limits, index)
        plan = BeamPlan(beams=len(legal))
        (found,) = beam_search(model, [Question(PROMPT, constraint)], plan, relevance=False)
        written = [str(tokenizer.decode(list(h.tokens))) for h in found.hypotheses]
        assert {read(each, topic, index, tokenizer) for each in written} == set(legal.values())
    kg.close()


def between_long_names(folder: Folder, name: str) -> tuple[ReasoningPaths, oracle.Words]:
    """From A to B and to two entities of this name and a letter; and from all of them to C."""
    tokenizer = TOKENIZERS[FAMILY]
    entities = ["A", "B", name + "a", name + "b", "C"]
    facts = {(0, 0, i) for i in (1, 2, 3)} | {(i, 0, 4) for i in (1, 2, 3)}
    kg = labelled(entities, ["r"], facts, folder)
    index = build_index(kg, tokenizer)
    topics, limits = [worlds.entity(0)], PathLimits(hops=2, inverse=False)
    legal = oracle.words(kg, tokenizer, index, topics, limits)
    constraint = oracle.constraint(kg, tokenizer, topics, limits, index)
    kg.close()
    return constraint, legal


def test_names_of_10000_characters_that_differ_in_the_last(tmp_path: Folder) -> None:
    constraint, legal = between_long_names(tmp_path, LONG)
    plan = BeamPlan(beams=6)
    (found,) = beam_search(MODELS[FAMILY], [Question(PROMPT, constraint)], plan)
    assert {h.tokens for h in found.hypotheses} == set(legal) and len(legal) == 6
    for hypothesis in found.hypotheses:
        assert constraint.path(hypothesis.state) == legal[hypothesis.tokens]
    assert max(map(len, legal)) > 2_000
    assert found.cost.tokens < 1.1 * max(map(len, legal)), "what names share is computed once"


def test_names_too_long_for_the_model_are_an_error_where_a_beam_needs_them(
    tmp_path: Folder,
) -> None:
    constraint, _ = between_long_names(tmp_path, "x" * 9_999)
    with pytest.raises(ConstraintError, match="more than the model's 4096"):
        beam_search(MODELS[FAMILY], [Question(PROMPT, constraint)], BeamPlan(beams=6))


@pytest.mark.parametrize("scores", ["allowed", "full"])
def test_names_too_long_for_the_model_are_no_matter_where_no_beam_goes(
    scores: Any, tmp_path: Folder
) -> None:
    tokenizer = TOKENIZERS[FAMILY]
    constraint, legal = between_long_names(tmp_path, "x" * 9_999)
    liked = tokenizer(" B", add_special_tokens=False)["input_ids"]
    model = constant_model(len(tokenizer), dict.fromkeys(liked, 30.0))
    (found,) = beam_search(model, [Question(PROMPT, constraint)], BeamPlan(1, scores))
    (hypothesis,) = found.hypotheses
    assert legal[hypothesis.tokens].steps[0].target == worlds.entity(1)
