"""A `.env` that cannot be read is told in a line, whoever reads it first."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.agent.kg.stores.sparql import endpoint_settings
from groundwalk.agent.llm.chat import chat_model
from groundwalk.agent.settings import read_settings

READERS = (read_settings, endpoint_settings, lambda: chat_model("http://127.0.0.1:9/v1#m"))


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("read", READERS)
def test_another_encoding_is_named(read: Callable[[], object]) -> None:
    Path(".env").write_text("GROUNDWALK_KG=world\n", encoding="utf-16")
    with pytest.raises(InputError, match=r"^\.env is not in UTF-8"):
        read()


@pytest.mark.parametrize("read", READERS)
def test_nobody_waits_for_a_pipe(read: Callable[[], object]) -> None:
    os.mkfifo(".env")
    with pytest.raises(InputError, match=r"^\.env is a pipe"):
        read()


def test_a_file_of_somebody_else_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> str:  # root may read every file
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    Path(".env").touch()
    monkeypatch.setattr(Path, "read_text", refused)
    with pytest.raises(InputError, match=r"^\.env cannot be read: Permission denied"):
        read_settings()


@pytest.mark.parametrize("read", READERS)
def test_a_folder_of_that_name_is_no_file(read: Callable[[], object]) -> None:
    Path(".env").mkdir()
    read()


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'GROUNDWALK_KG="s3cret\nGROUNDWALK_LLM=none\n',
            r"^\.env, line 1: a quoted value does not",
        ),
        ("# first\n\nA=1\n\n\nexport B = 's3cret\nC=2", r"^\.env, line 6: a quoted value does not"),
        ('A="one\ntwo"\nB="s3cret" s3cret\n', r"^\.env, line 3: a quoted value does not end"),
        ("A=1\ns3cret s3cret\n", r"^\.env, line 2: is not NAME=VALUE"),
    ],
)
def test_a_line_that_is_no_setting_is_named_and_not_shown(
    read: Callable[[], object], text: str, message: str
) -> None:
    Path(".env").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read()
    assert "s3cret" not in caught.value.message + caught.value.hint


def test_settings_of_every_form_are_read() -> None:
    text = (
        "# c\n\nexport GROUNDWALK_KG='a b' # c\nA=\"one\ntwo\"\nB=x y\nNAME\nGROUNDWALK_LLM=n # c\n"
    )
    Path(".env").write_text(text, encoding="utf-8")
    settings = read_settings()
    assert (settings.kg, settings.llm) == ("a b", "n")
