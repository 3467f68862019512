"""Prompt templates as files, one folder per method; a user's folder overrides them by name."""

from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    FunctionLoader,
    StrictUndefined,
)
from jinja2.sandbox import SandboxedEnvironment


def _packaged(name: str) -> str | None:
    file = files("groundwalk.prompts").joinpath(*name.split("/"))
    return file.read_text(encoding="utf-8") if file.is_file() else None


@lru_cache(maxsize=8)
def _environment(folder: Path | None) -> Environment:
    loaders: list[BaseLoader] = [FileSystemLoader(folder)] if folder else []
    loader = ChoiceLoader([*loaders, FunctionLoader(_packaged)])
    return SandboxedEnvironment(
        loader=loader, undefined=StrictUndefined, autoescape=False, keep_trailing_newline=False
    )


def render(name: str, /, folder: Path | None = None, **values: object) -> str:
    """Fill the template `name` (such as `gcr/path.jinja`) with values."""
    return _environment(folder).get_template(name).render(**values)
