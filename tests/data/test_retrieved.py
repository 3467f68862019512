"""What is retrieved for the world questions is what their words give, for each of them."""

from pathlib import Path

import pytest
from groundwalk.data.world import retrieve
from groundwalk.data.world.answers import FILES, read_questions
from groundwalk.graphs.paths.file import read_retrieved


@pytest.mark.long
@pytest.mark.slow
def test_the_file_is_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = retrieve.RETRIEVED_FILE.read_bytes()
    monkeypatch.setattr(retrieve, "RETRIEVED_FILE", tmp_path / "retrieved.jsonl")
    assert retrieve.main([]) == 0
    assert (tmp_path / "retrieved.jsonl").read_bytes() == shipped
    assert retrieve.main(["--check"]) == 0
    (tmp_path / "retrieved.jsonl").write_text("{}\n", encoding="utf-8")
    assert retrieve.main(["--check"]) == 1


def test_every_question_is_in_the_file() -> None:
    found = read_retrieved(str(retrieve.RETRIEVED_FILE))
    questions = [question for file in FILES for question in read_questions(file)]
    assert list(found.by_id) == [question["id"] for question in questions]
    assert all(found.find(question["id"], "") for question in questions)
