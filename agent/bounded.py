"""How much of a reply is read: what is longer fills no memory, whoever sends it."""

from collections.abc import Mapping

MOST_BYTES = 8 * 2**20
"""Of one reply of a language model: far more than a model writes, thoughts and JSON included."""
PLAIN = {"Accept-Encoding": "identity"}
"""The header that asks for it: a short reply that is packed may be a long one."""


class UnboundedError(Exception):
    """A reply that is too long, or may be. The message goes after the name of the service."""


class Body:
    """The bytes of a reply as they come; raises UnboundedError rather than hold too many."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        """Raises UnboundedError where the reply is packed, which it was not asked to be."""
        if headers.get("content-encoding", "identity").strip().lower() != "identity":
            raise UnboundedError("packs its replies, which it was not asked for")
        self.read = bytearray()

    def add(self, piece: bytes) -> None:
        """Take the next piece."""
        self.read += piece
        if len(self.read) > MOST_BYTES:
            raise UnboundedError(f"sent more than {MOST_BYTES:,} bytes for one reply")
