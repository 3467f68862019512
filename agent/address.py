"""How the address of a service, and what it says, are shown and kept: without secrets."""

import re

_SENT = re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]+", re.IGNORECASE)


def public_address(address: str) -> str:
    """An address without user, password and query, in which keys may stand.

    A password may hold signs that no address should, such as / and @: it ends at the last @.
    """
    scheme, _, rest = address.partition("//")
    return f"{scheme}//{rest.rpartition('@')[2].partition('?')[0]}"


def is_port(port: int | None) -> bool:
    """Whether an address may have a port, or leaves it out."""
    return port is None or 0 < port < 2**16


def masked(said: str, *secrets: str) -> str:
    """What a service says, with `***` for the keys and headers of a client that it repeats."""
    for secret in filter(None, secrets):
        said = said.replace(secret, "***")
    return _SENT.sub(r"\1 ***", said)
