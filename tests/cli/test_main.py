"""However a command fails, a line and an exit code are what is left of it."""

import errno
import os
import sys

import pytest
from groundwalk.cli import main as entry


@pytest.mark.parametrize(
    ("number", "code", "says"),
    [
        (errno.ENOSPC, 3, "the disk that the output goes to is full"),
        (errno.EDQUOT, 3, "the disk that the output goes to is full"),
        (errno.EIO, 4, "internal error: OSError: [Errno 5] Input/output error"),
        (errno.EACCES, 4, "internal error: PermissionError: "),
    ],
)
def test_an_error_of_the_system_is_one_line(
    number: int,
    code: int,
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(entry, "app", fails)
    monkeypatch.setattr(entry, "quiet_libraries", lambda: None)
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.delenv("GROUNDWALK_DEBUG", raising=False)
    with pytest.raises(SystemExit) as ended:
        entry.main()
    said = capsys.readouterr().err
    assert ended.value.code == code
    assert said.startswith(f"groundwalk: {says}") and len(said.splitlines()) == 1


@pytest.mark.parametrize("options", [("--kg", "a.ttl", "--kg", "b.ttl"), ("--kg=a", "--kg", "b")])
def test_a_second_graph_takes_the_place_of_none(
    options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["groundwalk", "ask", *options, "Who?"])
    with pytest.raises(SystemExit) as ended:
        entry.main()
    said = capsys.readouterr().err
    assert ended.value.code == 2 and said.startswith("groundwalk: --kg is given twice (")
