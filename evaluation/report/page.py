"""Filling the page: templates, style and script of ours, and nothing from anywhere else."""

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


def render(values: Mapping[str, object], data: str) -> str:
    """The page: `values` fill the template, escaped; `data` is the JSON that its script
    reads, in which nothing can end an element.

    The page's policy lets nothing be loaded or sent, and only its own style and script be used,
    by their digests, whatever the text in it may hold.
    """
    style, script = _static("report.css"), _static("report.js")
    return (
        _environment()
        .get_template("page.html.jinja")
        .render(
            values,
            data=Markup(data),
            style=Markup(style),
            script=Markup(script),
            style_digest=_digest(style),
            script_digest=_digest(script),
        )
    )


@cache
def _environment() -> Environment:
    loader = PackageLoader("groundwalk.evaluation.report", "templates")
    return Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _static(name: str) -> str:
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
