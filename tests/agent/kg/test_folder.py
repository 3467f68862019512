"""Building, caching and opening KGs: one build, atomic, the same facts as any other reader's."""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import rdflib
from groundwalk.agent.errors import KGError
from groundwalk.agent.kg import (
    GENERIC,
    BuildProgress,
    KnowledgeGraph,
    Triple,
    build,
    load_profile,
    open_kg,
)
from groundwalk.agent.kg import opening as folder
from groundwalk.agent.kg.opening import cache_folder, open_built
from hypothesis import HealthCheck, given, settings
from rdflib.compare import isomorphic

from .graphs import GRAPHS, ntriples

FILM = "Kismet|directed_by|William Dieterle\nKismet|release_year|1944\n"


def film(home: Path, text: str = FILM) -> str:
    (home / "kb.txt").write_text(text, encoding="utf-8")
    return str(home / "kb.txt")


def facts(kg: KnowledgeGraph) -> set[Triple]:
    return set(kg.store.facts())


def built(cache: Path) -> list[Path]:
    return sorted((cache / "kg").iterdir())


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(GRAPHS)
def test_facts_are_those_that_rdflib_reads(
    tmp_path: Path, triples: list[tuple[str, str, str]]
) -> None:
    (tmp_path / "kg.nt").write_text(ntriples(triples), encoding="utf-8")
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)
    kg = open_kg(str(tmp_path / "kg.nt"), cache=tmp_path / "cache")
    theirs = rdflib.Graph().parse(data=ntriples(triples), format="nt")
    for triple in list(theirs):
        if triple[1].n3() in GENERIC.skipped:
            theirs.remove(triple)
    ours = rdflib.Graph().parse(data=ntriples([*facts(kg)]), format="nt")
    assert isomorphic(ours, theirs)
    assert kg.counts.facts == len(theirs)
    assert kg.counts.triples == len(set(triples))
    terms = sorted({term for head, _, tail in facts(kg) for term in (head, tail)})
    assert len(set(kg.labels.names(terms))) == len(terms)
    assert kg.store.holds([*facts(kg)]) == [True] * kg.counts.facts
    kg.close()


def test_a_file_is_built_once_and_opened_after_that(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = open_kg(film(tmp_path), cache=cache)
    (made,) = built(cache)
    before = (made / "meta.json").stat().st_mtime_ns
    again = open_kg(film(tmp_path), cache=cache)
    assert again.folder == first.folder == made
    assert (made / "meta.json").stat().st_mtime_ns == before
    assert facts(again) == facts(first)
    assert again.counts == (7, 2, 3, 2)
    assert again.digest == first.digest
    assert sorted(path.name for path in made.iterdir()) == ["labels.sqlite", "meta.json", "store"]


def test_other_content_is_another_kg(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = open_kg(film(tmp_path), cache=cache)
    second = open_kg(film(tmp_path, FILM + "Kismet|in_language|English\n"), cache=cache)
    assert first.digest != second.digest
    assert len(built(cache)) == 2
    assert len(facts(second)) == 3


@pytest.mark.parametrize("block", [1 << 20, 7])
@pytest.mark.parametrize(
    ("text", "is_built_again"),
    [
        (FILM, False),
        (FILM + "Kismet|rdf:type|film\n", True),
        (FILM + "Kismet|<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>|film\n", True),
    ],
)
def test_a_table_is_built_again_where_its_classes_are_read_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, is_built_again: bool, block: int
) -> None:
    monkeypatch.setattr("groundwalk.agent.kg.files.building._BLOCK", block)
    (tmp_path / "kb.txt.gz").write_bytes(gzip.compress(text.encode()))
    for version in (2, 3):
        monkeypatch.setattr("groundwalk.agent.kg.files.building._CLASSES_IN_TABLES", version)
        for source in (film(tmp_path, text), str(tmp_path / "kb.txt.gz")):
            open_kg(source, cache=tmp_path / "cache").close()
    assert len(built(tmp_path / "cache")) == (4 if is_built_again else 2)


def test_a_file_that_is_no_table_is_not_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rdf_type = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    (tmp_path / "kg.nt").write_text(ntriples([("<urn:a>", rdf_type, "<urn:b>")]))
    for version in (2, 3):
        monkeypatch.setattr("groundwalk.agent.kg.files.building._CLASSES_IN_TABLES", version)
        open_kg(str(tmp_path / "kg.nt"), cache=tmp_path / "cache").close()
    assert len(built(tmp_path / "cache")) == 1


@pytest.mark.parametrize("name", ["kb.txt", "kb.txt.gz", "kg.nt"])
def test_progress_counts_bytes_then_steps(tmp_path: Path, name: str) -> None:
    rows = [(f"<urn:a{i}>", "<urn:r>", "<urn:b>") for i in range(20_000)]
    data = "".join("|".join(row) + "\n" for row in rows).encode()
    file = tmp_path / name
    file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    if name == "kg.nt":
        file.write_text(ntriples(rows))
    seen: list[BuildProgress] = []
    build(str(file), tmp_path / "kg", on_progress=seen.append)
    reading = [step for step in seen if step.stage == "reading"]
    assert len(reading) > 1
    assert [step.done for step in reading] == sorted(step.done for step in reading)
    assert reading[-1].done == reading[-1].total == file.stat().st_size
    naming = [step for step in seen if step.stage == "naming"]
    assert seen == reading + naming
    assert [step.done for step in naming] == list(range(naming[0].total + 1))


def test_a_built_folder_opens_by_its_path(tmp_path: Path) -> None:
    counts = build(film(tmp_path), tmp_path / "out" / "kg")
    kg = open_kg(str(tmp_path / "out" / "kg"))
    assert kg.counts == counts
    assert kg.source == film(tmp_path)
    assert kg.folder == tmp_path / "out" / "kg"
    assert kg.labels.names(["<urn:groundwalk:William%20Dieterle>"]) == ["William Dieterle"]
    assert not list((tmp_path / "out").glob(".*"))


def test_build_refuses_to_overwrite(tmp_path: Path) -> None:
    build(film(tmp_path), tmp_path / "kg")
    with pytest.raises(KGError, match="exists already"):
        build(film(tmp_path), tmp_path / "kg")
    with pytest.raises(KGError, match="is a built KG already"):
        build(str(tmp_path / "kg"), tmp_path / "other")


def test_a_malformed_file_leaves_nothing_behind(tmp_path: Path) -> None:
    source = film(tmp_path, "a|b|c\na|b\n")
    with pytest.raises(KGError, match="line 2"):
        open_kg(source, cache=tmp_path / "cache")
    with pytest.raises(KGError, match="line 2"):
        build(source, tmp_path / "kg")
    assert built(tmp_path / "cache") == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "kb.txt"]


@pytest.mark.parametrize("damage", ["meta.json", "labels.sqlite", "store/CURRENT"])
@pytest.mark.parametrize("how", ["garbage", "missing"])
def test_a_damaged_cache_is_built_again(tmp_path: Path, damage: str, how: str) -> None:
    cache = tmp_path / "cache"
    open_kg(film(tmp_path), cache=cache).close()
    (made,) = built(cache)
    if how == "garbage":
        (made / damage).write_bytes(b"garbage" * 100)
    else:
        (made / damage).unlink()
    kg = open_kg(film(tmp_path), cache=cache)
    assert len(facts(kg)) == 2
    assert built(cache) == [made] == [kg.folder]


@pytest.mark.parametrize("damage", ["labels.sqlite", "store/CURRENT", "meta.json"])
def test_a_damaged_folder_of_the_users_is_an_error(tmp_path: Path, damage: str) -> None:
    build(film(tmp_path), tmp_path / "kg")
    (tmp_path / "kg" / damage).write_bytes(b"garbage" * 100)
    with pytest.raises(KGError) as caught:
        open_kg(str(tmp_path / "kg"))
    assert str(tmp_path / "kg") in caught.value.message
    assert caught.value.hint == "build the KG again"


def test_a_folder_of_another_version(tmp_path: Path) -> None:
    build(film(tmp_path), tmp_path / "kg")
    meta = tmp_path / "kg" / "meta.json"
    meta.write_text(json.dumps(json.loads(meta.read_text()) | {"format": 99}))
    with pytest.raises(KGError, match="has format 99; this version reads 5"):
        open_built(tmp_path / "kg")


def test_without_a_cache_the_kg_is_in_memory(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    kg = open_kg(film(tmp_path), cache=tmp_path / "cache")
    assert kg.folder is None
    assert kg.counts == (7, 2, 3, 2)
    assert len(facts(kg)) == 2
    assert kg.labels.lookup("kismet")[0].text == "Kismet"


def test_builders_side_by_side_do_no_harm(tmp_path: Path) -> None:
    source, cache = film(tmp_path), tmp_path / "cache"
    with ThreadPoolExecutor(6) as pool:
        running = [pool.submit(open_kg, source, cache=cache) for _ in range(6)]
        opened = [future.result() for future in running]
    assert all(len(facts(kg)) == 2 for kg in opened)
    assert len(built(cache)) == 1


def test_processes_side_by_side_do_no_harm(tmp_path: Path) -> None:
    code = "import sys; from groundwalk.agent.kg import open_kg; print(open_kg(sys.argv[1]).counts)"
    environment = os.environ | {"GROUNDWALK_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-c", code, film(tmp_path)]
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    printed = {process.communicate(timeout=60)[0] for process in running}
    assert printed == {"Counts(triples=7, facts=2, entities=3, relations=2)\n"}
    assert len(built(tmp_path / "cache")) == 1


def test_a_built_folder_is_read_by_processes_side_by_side(tmp_path: Path) -> None:
    build(film(tmp_path), tmp_path / "kg")
    before = sorted(path.name for path in (tmp_path / "kg").rglob("*"))
    code = (
        "import sys; from groundwalk.agent.kg import open_kg; kg = open_kg(sys.argv[1]);"
        "print(len(list(kg.store.facts())), kg.labels.similar('kismte', 1)[0].norm, flush=True);"
        "sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "kg")]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    try:
        assert [p.stdout.readline() for p in running if p.stdout] == ["2 kismet\n"] * 3
    finally:
        for process in running:
            process.communicate(timeout=60)
    assert sorted(path.name for path in (tmp_path / "kg").rglob("*")) == before


def test_the_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDWALK_CACHE", "/a/b")
    monkeypatch.setenv("XDG_CACHE_HOME", "/c")
    assert cache_folder() == Path("/a/b")
    monkeypatch.delenv("GROUNDWALK_CACHE")
    assert cache_folder() == Path("/c/groundwalk")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "groundwalk"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "no knowledge graph was named"),
        ("no/such/file.ttl", "no such file or folder"),
    ],
)
def test_sources_that_cannot_be_opened(source: str, message: str) -> None:
    with pytest.raises(KGError, match=message):
        open_kg(source)


def test_the_world_comes_with_the_package(tmp_path: Path) -> None:
    kg = open_kg("world", cache=tmp_path)
    assert kg.source == kg.store.source == "world"
    assert kg.counts.facts > 1_500
    country = "<https://groundwalk.example/world/country/france>"
    assert kg.labels.names([country]) == ["France"]


GRAPHS_OF_FILMS = """
@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a :p :b .
:g1 { :a :p :c ; rdfs:label "in one" . }
:g2 { :a :p :c , :d . :d rdfs:label "in two" . }
"""


def example(name: str) -> str:
    return f"<http://example.org/{name}>"


def tails(kg: KnowledgeGraph) -> list[str]:
    return sorted(triple.tail for triple in kg.store.facts())


def test_named_graphs_are_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "kg.trig").write_text(GRAPHS_OF_FILMS)
    kg = open_kg(str(tmp_path / "kg.trig"), cache=tmp_path / "cache")
    assert tails(kg) == [example("b"), example("c"), example("d")]
    assert kg.counts == (5, 3, 4, 1)


def test_named_graphs_cut_facts_names_and_verification(tmp_path: Path) -> None:
    source, cache = str(tmp_path / "kg.trig"), tmp_path / "cache"
    Path(source).write_text(GRAPHS_OF_FILMS)
    one = open_kg(source, cache=cache, graphs=["http://example.org/g1"])
    two = open_kg(source, cache=cache, graphs=[example("g2")])
    both = open_kg(source, cache=cache, graphs=[example("g2"), example("g1")])
    assert tails(one) == [example("c")]
    assert tails(two) == [example("c"), example("d")]
    assert tails(both) == tails(two)
    assert one.labels.names([example("a"), example("d")]) == ["in one", "d"]
    assert two.labels.names([example("a"), example("d")]) == ["a", "in two"]
    triple = Triple(example("a"), example("p"), example("d"))
    assert [kg.store.holds([triple]) for kg in (one, two)] == [[False], [True]]
    assert len({one.digest, two.digest, both.digest}) == 3
    assert len(built(cache)) == 3
    again = open_kg(source, cache=cache, graphs=["http://example.org/g1"])
    assert (again.folder, again.graphs) == (one.folder, ("http://example.org/g1",))


@pytest.mark.parametrize(
    ("name", "graph", "message"),
    [
        ("kg.trig", "http://example.org/g3", "holds no triples in the graph <http://example.org/g"),
        ("kg.trig", "g1", "the graph 'g1' is not an IRI"),
        ("kb.txt", "http://example.org/g1", "holds no triples in the graph"),
    ],
)
def test_graphs_that_are_not_there(tmp_path: Path, name: str, graph: str, message: str) -> None:
    (tmp_path / name).write_text(GRAPHS_OF_FILMS if name == "kg.trig" else FILM)
    with pytest.raises(KGError, match=message):
        build(str(tmp_path / name), tmp_path / "kg", graphs=[graph])
    assert not list(tmp_path.glob("kg")) and not list(tmp_path.glob(".*"))


def test_what_is_chosen_at_the_build_cannot_be_chosen_later(tmp_path: Path) -> None:
    out = tmp_path / "kg"
    build(film(tmp_path), out, profile=load_profile("dbpedia"))
    assert open_kg(str(out)).profile == load_profile("dbpedia")
    with pytest.raises(KGError, match="was built with the profile dbpedia"):
        open_kg(str(out), profile=load_profile("wikidata"))
    with pytest.raises(KGError, match="was built of other graphs"):
        open_kg(str(out), graphs=["http://example.org/g1"])


def test_the_profile_is_in_the_key_of_the_cache(tmp_path: Path) -> None:
    source = film(tmp_path)
    folders = {
        open_kg(source, cache=tmp_path / "cache", profile=load_profile(name)).folder
        for name in ("generic", "freebase", "generic")
    }
    assert len(folders) == 2


def test_a_large_graph_is_not_built_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    monkeypatch.setattr(folder, "_MOST_IN_MEMORY", 10)
    with pytest.raises(KGError, match="the cache .* cannot be written") as caught:
        open_kg(film(tmp_path), cache=tmp_path / "cache")
    assert "GROUNDWALK_CACHE" in caught.value.hint


@pytest.mark.slow
def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from groundwalk.agent.kg import build;"
        "build(sys.argv[1], Path(sys.argv[2]), on_progress=lambda _: print('.', flush=True))"
    )
    source = film(tmp_path, "".join(f"a{i}|r|b{i}\n" for i in range(300_000)))
    command = [sys.executable, "-c", code, source, str(tmp_path / "out" / "kg")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == ".\n"
    assert len(list((tmp_path / "out").iterdir())) == 1
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]
    assert list((tmp_path / "out").iterdir()) == []


def test_a_disk_without_room_leaves_nothing(tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys; from pathlib import Path;"
        "from groundwalk.agent.kg import build;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000));"
        "build(sys.argv[1], Path(sys.argv[2]))"
    )
    source = film(tmp_path, "".join(f"a{i}|r|b{i}\n" for i in range(50_000)))
    command = [sys.executable, "-c", code, source, str(tmp_path / "out" / "kg")]
    process = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "KGError" in process.stderr.splitlines()[-1]
    assert "cannot be written" in process.stderr.splitlines()[-1]
    assert list((tmp_path / "out").iterdir()) == []
