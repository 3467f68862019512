"""General chat models by a short name: `openai:gpt-4o-mini`, `http://host/v1#model`, `hf:DIR`."""

import os
from typing import TYPE_CHECKING

from ..errors import InputError
from ..services import is_port, public_address

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_HINT = "write openai:NAME, http://host/v1#NAME, hf:DIR or none"


def describe_llm(spec: str) -> str:
    """What a specification such as `http://host/v1#model` names, without secrets."""
    if not spec.startswith(("http://", "https://")):
        return spec
    address, mark, name = spec.rpartition("#")
    return f"{public_address(address)}#{name}" if mark else public_address(spec)


def chat_model(spec: str) -> "BaseChatModel | None":
    """The chat model that `spec` names; None for `none`. Raises InputError for other text.

    Keys come from the environment (`OPENAI_API_KEY`); a server on an address of the user's own
    gets one only if that variable is set.
    """
    if spec in ("", "none"):
        return None
    if spec.startswith("openai:") and len(spec) > len("openai:"):
        if not os.environ.get("OPENAI_API_KEY"):
            raise InputError("OPENAI_API_KEY is not set", "set it, or name another --llm")
        return _openai(spec, spec.removeprefix("openai:"), None)
    if spec.startswith(("http://", "https://")):
        address, mark, name = spec.partition("#")
        if not mark or not name:
            raise InputError(f"--llm {describe_llm(spec)}: names no model after #", _HINT)
        _check_address(spec, address)
        return _openai(spec, name, address)
    if spec.startswith("hf:") and len(spec) > len("hf:"):
        return _local(spec.removeprefix("hf:"))
    raise InputError(f"--llm {spec}: is not the name of a language model", _HINT)


def drawing(llm: "BaseChatModel", temperature: float, seed: int) -> "BaseChatModel | None":
    """The chat model as it draws its replies at a temperature; None where it takes none.

    A local model draws the reply that the seed says, a server one of its own.
    """
    from .free_text import LocalChat

    if "temperature" not in type(llm).model_fields:
        return None
    seeded = {"seed": seed} if isinstance(llm, LocalChat) else {}
    return llm.model_copy(update={"temperature": temperature, **seeded})


def _check_address(spec: str, address: str) -> None:
    import httpx

    try:
        url = httpx.URL(address)
    except httpx.InvalidURL:
        hint = "write signs such as / and @ in a password as %2F and %40"
        raise InputError(f"--llm {describe_llm(spec)}: is not an address", hint) from None
    if not url.host:
        raise InputError(f"--llm {describe_llm(spec)}: names no host", _HINT)
    if not is_port(url.port):
        raise InputError(f"--llm {describe_llm(spec)}: {url.port} is no port", "1 to 65535 are")


def _openai(spec: str, name: str, address: str | None) -> "BaseChatModel":
    from .served import served_chat

    address = address or os.environ.get("OPENAI_API_BASE") or os.environ.get("OPENAI_BASE_URL")
    key = os.environ.get("OPENAI_API_KEY") or "none"
    return served_chat(describe_llm(spec), name, address, key)


def _local(folder: str) -> "BaseChatModel":
    from .free_text import LocalChat
    from .local import load_model

    return LocalChat(load_model(folder))
