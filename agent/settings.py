"""Settings from `GROUNDWALK_*` variables and a `.env` file in the current folder."""

import io
from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict

from .errors import InputError


class Settings(BaseSettings):
    """What an option of the command line, and LangGraph's server, fall back to.

    `build_graph` reads none of it: it has arguments.
    """

    model_config = SettingsConfigDict(
        env_prefix="GROUNDWALK_", env_file=".env", env_file_encoding="utf-8", extra="ignore"
    )

    kg: str = "world"
    model: str = "bundled"
    reader: str = ""
    method: str = "gcr"
    llm: str = "none"
    device: str = "cpu"
    dtype: str = "auto"
    language: str = ""
    mediators: str = ""
    infer: str = ""


def read_settings() -> Settings:
    """The settings of this process. Raises InputError where `.env` cannot be read."""
    check_env_file()
    return Settings()


def check_env_file() -> None:
    """See that `.env`, where there is one, can be read. Raises InputError where it cannot.

    A line that is no setting would leave out that setting, and where a quote is not closed others
    after it. Nothing else than a file is opened: a pipe would be waited for.
    """
    file = Path(".env")
    if file.is_fifo():
        raise InputError(".env is a pipe and no file", "put the settings into a file")
    if not file.is_file():
        return
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(".env is not in UTF-8", "save it in UTF-8") from error
    except OSError as error:
        raise InputError(f".env cannot be read: {error.strerror}", "check it") from error
    _check_lines(text)


def _check_lines(text: str) -> None:
    """Raise InputError for the first line that is no setting; it may be a secret: not a word of it.

    The parser is that of the library which reads the settings.
    """
    from dotenv.parser import parse_stream

    for binding in parse_stream(io.StringIO(text)):
        if binding.error:
            original = binding.original.string
            statement = original.lstrip()
            blank = original[: len(original) - len(statement)].count("\n")
            value = statement.partition("=")[2].lstrip()
            where = f".env, line {binding.original.line + blank}"
            if value.startswith(("'", '"')):
                raise InputError(
                    f"{where}: a quoted value does not end where its line does",
                    "close the quote, and write nothing but a comment after it",
                )
            raise InputError(f"{where}: is not NAME=VALUE", "correct the line, or put # before it")
