"""Building, caching and opening KGs: one build, atomic, the same facts as any other reader's."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import rdflib
from groundwalk.agent.errors import KGError
from groundwalk.agent.kg import GENERIC, KnowledgeGraph, Triple, build, open_kg
from groundwalk.agent.kg.folder import cache_folder, open_built
from hypothesis import HealthCheck, given, settings
from rdflib.compare import isomorphic

from .graphs import GRAPHS, ntriples

FILM = "Kismet|directed_by|William Dieterle\nKismet|release_year|1944\n"


def film(folder: Path, text: str = FILM) -> str:
    (folder / "kb.txt").write_text(text, encoding="utf-8")
    return str(folder / "kb.txt")


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
    seen: list[int] = []
    cache = tmp_path / "cache"
    first = open_kg(film(tmp_path), cache=cache, on_progress=seen.append)
    (folder,) = built(cache)
    before = (folder / "meta.json").stat().st_mtime_ns
    again = open_kg(film(tmp_path), cache=cache)
    assert again.folder == first.folder == folder
    assert (folder / "meta.json").stat().st_mtime_ns == before
    assert facts(again) == facts(first)
    assert again.counts == (7, 2, 3, 2)
    assert again.digest == first.digest
    assert sorted(path.name for path in folder.iterdir()) == ["labels.sqlite", "meta.json", "store"]


def test_other_content_is_another_kg(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = open_kg(film(tmp_path), cache=cache)
    second = open_kg(film(tmp_path, FILM + "Kismet|in_language|English\n"), cache=cache)
    assert first.digest != second.digest
    assert len(built(cache)) == 2
    assert len(facts(second)) == 3


def test_progress_is_told(tmp_path: Path) -> None:
    seen: list[int] = []
    text = "".join(f"a{i}|r|b\n" for i in range(30_000))
    open_kg(film(tmp_path, text), cache=tmp_path / "cache", on_progress=seen.append)
    assert seen == [50_000]


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
    (folder,) = built(cache)
    if how == "garbage":
        (folder / damage).write_bytes(b"garbage" * 100)
    else:
        (folder / damage).unlink()
    kg = open_kg(film(tmp_path), cache=cache)
    assert len(facts(kg)) == 2
    assert built(cache) == [folder] == [kg.folder]


@pytest.mark.parametrize("damage", ["labels.sqlite", "store/CURRENT", "meta.json"])
def test_a_damaged_folder_of_the_users_is_an_error(tmp_path: Path, damage: str) -> None:
    build(film(tmp_path), tmp_path / "kg")
    (tmp_path / "kg" / damage).write_bytes(b"garbage" * 100)
    with pytest.raises(KGError) as caught:
        open_kg(str(tmp_path / "kg"))
    assert str(tmp_path / "kg") in caught.value.message
    assert caught.value.hint == "Build the KG again."


def test_a_folder_of_another_version(tmp_path: Path) -> None:
    build(film(tmp_path), tmp_path / "kg")
    meta = tmp_path / "kg" / "meta.json"
    meta.write_text(json.dumps(json.loads(meta.read_text()) | {"format": 99}))
    with pytest.raises(KGError, match="has format 99; this version reads 1"):
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
        ("https://example.org/sparql", "SPARQL endpoints are not supported yet"),
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
