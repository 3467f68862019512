"""How a chat model's specification and address are shown and kept: without secrets."""


def describe_llm(spec: str) -> str:
    """What a specification such as `http://host/v1#model` names, without secrets."""
    if not spec.startswith(("http://", "https://")):
        return spec
    address, mark, name = spec.rpartition("#")
    return f"{public_address(address)}#{name}" if mark else public_address(spec)


def public_address(address: str) -> str:
    """An address without user, password and query, in which keys may stand.

    A password may hold signs that no address should, such as / and @: it ends at the last @.
    """
    scheme, _, rest = address.partition("//")
    return f"{scheme}//{rest.rpartition('@')[2].partition('?')[0]}"
