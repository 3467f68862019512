"""A built KG that another process replaces: what is read is wholly of one build."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from groundwalk.agent.errors import KGError
from groundwalk.agent.kg import KnowledgeGraph, build, open_kg
from groundwalk.agent.kg.files import holding

FACTS = 40

REBUILDS = """
import sys
from pathlib import Path
from groundwalk.agent.kg import build
sources, out = sys.argv[2:], Path(sys.argv[1])
for number in range(24):
    build(sources[number % len(sources)], out, replace=True)
"""
FILLS = """
import sys
from pathlib import Path
from groundwalk.agent.kg import build
build(sys.argv[2], Path(sys.argv[1]), replace=True, on_progress=lambda _: print(".", flush=True))
"""


class Seen(NamedTuple):
    """What one opening of a folder shows: the content of its store, names and `meta.json`."""

    facts: frozenset[str]
    names: frozenset[str]
    digest: str


def source(home: Path, mark: str, facts: int = FACTS) -> str:
    file = home / f"{mark}.txt"
    file.write_text("".join(f"x{i}{mark}|r{mark}|y{i}{mark}\n" for i in range(facts)))
    return str(file)


def seen(kg: KnowledgeGraph) -> Seen:
    facts = [*kg.store.facts()]
    names = kg.labels.names([fact.head for fact in facts])
    return Seen(
        frozenset(fact.relation.removesuffix(">")[-1] for fact in facts),
        frozenset(name[-1] for name in names),
        kg.digest,
    )


def beside(out: Path) -> list[Path]:
    return [path for path in out.parent.iterdir() if path.name.startswith(f".{out.name}-")]


def test_what_is_opened_while_another_process_rebuilds_is_of_one_build(tmp_path: Path) -> None:
    out, sources = tmp_path / "kg", [source(tmp_path, mark) for mark in "ab"]
    wholes = set[Seen]()
    for given in reversed(sources):
        build(given, out, replace=True)
        kg = open_kg(str(out))
        wholes.add(seen(kg))
        kg.close()
    assert {(*whole.facts, *whole.names) for whole in wholes} == {("a", "a"), ("b", "b")}
    rebuilding = subprocess.Popen([sys.executable, "-c", REBUILDS, str(out), *sources])
    found, last = list[Seen](), open_kg(str(out))
    stays = seen(last)
    while rebuilding.poll() is None:
        kg = open_kg(str(out))
        found.append(seen(kg))
        kg.close()
        assert seen(last) == stays
    assert rebuilding.returncode == 0
    assert set(found) == wholes
    last.close()
    build(sources[0], out, replace=True)
    assert beside(out) == []


def test_who_has_it_open_goes_on_and_keeps_its_files(tmp_path: Path) -> None:
    out, (old, new) = tmp_path / "kg", [source(tmp_path, mark) for mark in "ab"]
    build(old, out)
    reader = open_kg(str(out))
    before = seen(reader)
    build(new, out, replace=True)
    (kept,) = beside(out)
    assert (kept / "store").is_dir() and seen(reader) == before
    fresh = open_kg(str(out))
    assert seen(fresh).facts == {"b"} and seen(fresh).digest != before.digest
    reader.close()
    fresh.close()
    build(old, out, replace=True)
    assert beside(out) == []


def test_a_build_that_is_killed_leaves_the_old_one(tmp_path: Path) -> None:
    out, old = tmp_path / "kg", source(tmp_path, "a")
    build(old, out)
    large = source(tmp_path, "b", 300_000)
    command = [sys.executable, "-c", FILLS, str(out), large]
    filling = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert filling.stdout is not None and filling.stdout.readline() == ".\n"
    (half_made,) = beside(out)
    build(old, out, replace=True)
    assert half_made.is_dir(), "somebody fills it"
    filling.send_signal(signal.SIGKILL)
    filling.communicate(timeout=60)
    kg = open_kg(str(out))
    assert seen(kg).facts == seen(kg).names == {"a"}
    kg.close()
    build(old, out, replace=True)
    assert beside(out) == []


def test_only_a_built_kg_is_replaced(tmp_path: Path) -> None:
    given = source(tmp_path, "a")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    build(given, tmp_path / "kg")
    (tmp_path / "link").symlink_to(tmp_path / "kg")
    for name in ("mine", "a.txt", "link"):
        with pytest.raises(KGError, match="exists and is no built KG"):
            build(given, tmp_path / name, replace=True)
    with pytest.raises(KGError, match="exists already"):
        build(given, tmp_path / "kg")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    build(given, tmp_path / "new", replace=True)
    assert (tmp_path / "new" / "meta.json").is_file()


@pytest.mark.parametrize("platform", [sys.platform, "another"])
def test_folders_change_places(
    tmp_path: Path, platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    holding.exchange(tmp_path / "one", tmp_path / "other")
    assert sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*")) == [
        *("one", "one/other", "other", "other/one")
    ]
    with pytest.raises(OSError):
        holding.exchange(tmp_path / "none", tmp_path / "other")
    assert (tmp_path / "other" / "one").is_file()
