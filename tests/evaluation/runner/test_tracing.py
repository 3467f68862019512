"""LangSmith gets the runs when the user's standard variables say so; else nobody is called."""

from pathlib import Path

import pytest

from ..tracing import langsmith, spied_run
from .test_evaluate import make_folder

KEY = "lsv2_secret_of_the_user"


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("tracing"))


def arguments(folder: Path, out: Path) -> list[str]:
    places = {"--data": "q.jsonl", "--kg": "family.kb", "--model": "model"}
    named = [text for option, name in places.items() for text in (option, str(folder / name))]
    return ["eval", "run", "--dataset", "jsonl", "--out", str(out), *named]


@pytest.mark.slow
def test_nobody_is_called_unasked(folder: Path, tmp_path: Path) -> None:
    assert spied_run(*arguments(folder, tmp_path / "out"), cache=folder / "cache") == []


@pytest.mark.parametrize("workers", [[], pytest.param(["--workers", "1"], marks=pytest.mark.slow)])
def test_langsmith_gets_the_runs_and_the_folder_no_key(
    folder: Path, tmp_path: Path, workers: list[str]
) -> None:
    out = tmp_path / "out"
    with langsmith() as (address, received):
        connected = spied_run(
            *arguments(folder, out),
            *workers,
            cache=folder / "cache",
            LANGSMITH_DISABLE_RUN_COMPRESSION="true",
            LANGSMITH_TRACING="true",
            LANGSMITH_ENDPOINT=address,
            LANGSMITH_API_KEY=KEY,
        )
    assert bool(connected) == (not workers)  # else others connect
    assert all("127.0.0.1" in place for _, place in connected)
    assert {request.key for request in received} == {KEY}
    sent = b"".join(request.body for request in received if "/runs" in request.path)
    for asked in (b"Who is a child of", b"Where is Ada's child", b"Who is Nobody"):
        assert asked in sent
    written = b"".join(file.read_bytes() for file in out.rglob("*") if file.is_file())
    assert b"characters" in written and b"characters" not in sent  # refused before it is a run
    assert KEY.encode() not in written
