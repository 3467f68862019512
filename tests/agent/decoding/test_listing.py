"""The path set as texts and as a regular expression, which llguidance then enforces."""

import re
import tempfile
from pathlib import Path as Folder
from typing import Any

import pytest
from groundwalk.agent.decoding.index import build_index
from groundwalk.agent.decoding.paths import PathLimits
from groundwalk.agent.decoding.remote import ListedPaths, alternation, list_paths
from groundwalk.agent.decoding.wire import SEPARATOR
from groundwalk.agent.errors import NoPathError
from groundwalk.agent.kg import Path, open_kg
from hypothesis import given, settings
from hypothesis import strategies as st

from . import oracle, worlds
from .test_search import limits

TOKENIZER = worlds.byte_level()

nodes = st.integers(0, len(worlds.HOSTILE) - 1)
facts = st.sets(st.tuples(nodes, st.integers(0, 5), nodes), min_size=1, max_size=10)


class Matcher:
    """llguidance over a byte-level BPE tokenizer, one token at a time."""

    def __init__(self, regex: str) -> None:
        engine: Any = pytest.importorskip("llguidance")
        hf: Any = pytest.importorskip("llguidance.hf")
        self._tokens: Any = hf.from_tokenizer(TOKENIZER)
        self._matcher: Any = engine.LLMatcher(
            self._tokens, engine.LLMatcher.grammar_from_regex(regex), log_level=0
        )
        assert not self._matcher.get_error()

    def accepts(self, text: str) -> bool:
        assert self._matcher.reset()
        for token in self._tokens.tokenize_str(text):
            if self._matcher.try_consume_tokens([token]) != 1:
                return False
        return bool(self._matcher.is_accepting())


def listed(
    facts: set[worlds.Fact], topics: list[str], limits: PathLimits, most: int = 1_000_000
) -> tuple[ListedPaths, set[Path]]:
    with tempfile.TemporaryDirectory() as folder:
        kg = worlds.graph(facts, Folder(folder))
        index = build_index(kg, TOKENIZER)
        every = set(oracle.paths(sorted(kg.store.facts()), topics, limits))
        try:
            return list_paths(index, kg.labels, topics, limits, max_paths=most), every
        except NoPathError:
            assert not every
            return ListedPaths({}, (), False), every
        finally:
            kg.close()


@st.composite
def topics_of(draw: st.DrawFn, facts: set[worlds.Fact]) -> list[str]:
    ends = sorted({end for head, _, tail in facts for end in (head, tail)})
    some = draw(st.lists(st.sampled_from([*ends, 99]), min_size=1, max_size=2, unique=True))
    return [worlds.entity(node) for node in some]


@settings(max_examples=25, deadline=None)
@given(facts=facts, limits=limits, data=st.data())
def test_every_legal_path_is_listed_once(
    facts: set[worlds.Fact], limits: PathLimits, data: st.DataObject
) -> None:
    paths, every = listed(facts, data.draw(topics_of(facts)), limits)
    assert set(paths.paths.values()) == every and len(paths.paths) == len(every)
    assert paths.complete
    for text, path in paths.paths.items():
        assert paths.find(f" {text}\n") == path
        assert len(text.split(SEPARATOR)) == 1 + 2 * len(path.steps)


@settings(max_examples=25, deadline=None)
@given(facts=facts, limits=limits, most=st.integers(1, 12), data=st.data())
def test_what_is_cut_is_told(
    facts: set[worlds.Fact], limits: PathLimits, most: int, data: st.DataObject
) -> None:
    paths, every = listed(facts, data.draw(topics_of(facts)), limits, most)
    kept = set(paths.paths.values())
    assert kept <= every and len(paths.paths) == len(kept) == min(most, len(every))
    assert paths.complete or len(kept) == most
    left_out = {(path.topic, path.relations) for path in every - kept}
    assert {(cut.topic, cut.relations) for cut in paths.cut} <= left_out
    assert paths.more or len(paths.cut) == len(left_out)


def mutations(draw: Any, text: str) -> list[str]:
    """Texts near a path: cut, doubled, swapped, joined, with other brackets, dots or blanks."""
    place = draw(st.integers(0, max(len(text) - 1, 0)))
    other = draw(st.sampled_from(["", "x", ".", " ", "(", "|", "\n", "→", "🙂", "</PATH>"]))
    parts = text.split(SEPARATOR)
    return [
        text[:place],
        text[:place] + other + text[place:],
        text[:place] + other + text[place + 1 :],
        text + SEPARATOR,
        SEPARATOR.join(parts + parts[1:]),
        SEPARATOR.join(reversed(parts)),
        text + text,
        f"<PATH>{text}</PATH>",
        text.swapcase(),
    ]


@settings(max_examples=15, deadline=None)
@given(facts=facts, limits=limits, data=st.data())
def test_the_engine_accepts_the_paths_and_nothing_else(
    facts: set[worlds.Fact], limits: PathLimits, data: st.DataObject
) -> None:
    paths, _ = listed(facts, data.draw(topics_of(facts)), limits, 40)
    if not paths.paths:
        return
    matcher, pattern = Matcher(paths.regex), re.compile(paths.regex)
    for text in paths.paths:
        assert matcher.accepts(text) and pattern.fullmatch(text)
    some = data.draw(st.lists(st.sampled_from(sorted(paths.paths)), min_size=1, max_size=5))
    for text in (near for path in some for near in mutations(data.draw, path)):
        assert matcher.accepts(text) == (text in paths.paths) == bool(pattern.fullmatch(text)), text


printable = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="<>"), min_size=1, max_size=8
)


@settings(max_examples=25, deadline=None)
@given(
    texts=st.lists(st.lists(printable, min_size=1, max_size=3), min_size=1, max_size=8),
    other=printable,
)
def test_no_character_of_a_name_means_anything(texts: list[list[str]], other: str) -> None:
    whole = {SEPARATOR.join(parts) for parts in texts}
    matcher = Matcher(alternation(texts))
    assert all(matcher.accepts(text) for text in whole)
    assert matcher.accepts(other) == (other in whole)


def test_texts_with_the_same_beginning_share_it() -> None:
    texts = [["A"], ["A", "r", "B"], ["A", "r", "C"], ["A", "s", "B", "r", "D"]]
    assert alternation(texts) == "A( -> (r -> (B|C)|s -> B -> r -> D))?"


def test_a_thousand_paths_of_a_hub_compile(tmp_path: Folder) -> None:
    lines = [f"hub|has (part) {i % 7}|part [{i}]" for i in range(3_000)]
    lines += [f"part [{i}]|made+by|maker {i % 50}" for i in range(3_000)]
    (tmp_path / "hub.kb").write_text("\n".join(lines), encoding="utf-8")
    kg = open_kg(str(tmp_path / "hub.kb"), cache=tmp_path / "cache")
    index = build_index(kg, TOKENIZER)
    (topic,) = kg.labels.named("hub")
    paths = list_paths(index, kg.labels, [topic], PathLimits(2))
    kg.close()
    assert len(paths.paths) == 1_000 and not paths.complete and not paths.more
    assert len(paths.cut) == 14, "every relation path gets its share"
    assert len(paths.regex) < sum(map(len, paths.paths))
    matcher = Matcher(paths.regex)
    for text in list(paths.paths)[::50]:
        assert matcher.accepts(text) and not matcher.accepts(text[:-1])


def test_a_name_of_10000_characters(tmp_path: Folder) -> None:
    long = "(a|b)*." * 1_500
    (tmp_path / "long.tsv").write_text(f"A\tr\t{long}\n", encoding="utf-8")
    kg = open_kg(str(tmp_path / "long.tsv"), cache=tmp_path / "cache")
    index = build_index(kg, TOKENIZER)
    paths = list_paths(index, kg.labels, kg.labels.named("A"), PathLimits(1))
    kg.close()
    matcher = Matcher(paths.regex)
    assert matcher.accepts(f"A -> r -> {long}") and not matcher.accepts("A -> r -> a.b.")
