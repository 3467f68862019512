"""How a chat model's specification is shown and kept: without secrets."""

from ..address import public_address


def describe_llm(spec: str) -> str:
    """What a specification such as `http://host/v1#model` names, without secrets."""
    if not spec.startswith(("http://", "https://")):
        return spec
    address, mark, name = spec.rpartition("#")
    return f"{public_address(address)}#{name}" if mark else public_address(spec)
