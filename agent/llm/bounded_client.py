"""The HTTP client of a chat server: no reply is read, or unpacked, beyond a bound."""

from functools import lru_cache
from typing import Any

from openai import DefaultAsyncHttpxClient

from ..bounded import PLAIN, Body, UnboundedError

_MOST_REDIRECTS = 5


class BoundedClient(DefaultAsyncHttpxClient):
    """Reads replies whole; raises UnboundedError for one without an end."""

    async def send(self, request: Any, **options: Any) -> Any:
        """As of its parent, which would read the bodies of redirects without a bound."""
        options |= {"stream": True, "follow_redirects": False}
        for _ in range(_MOST_REDIRECTS + 1):
            response = await super().send(request, **options)
            if response.next_request is None:
                break
            await response.aclose()
            request = response.next_request
            options["auth"] = None  # the header went along, where it may
        else:
            raise UnboundedError("redirects in circles")
        try:
            body = Body(response.headers)
            async for piece in response.aiter_raw():
                body.add(piece)
        finally:
            await response.aclose()
        return type(response)(
            response.status_code,
            headers=response.headers,
            content=bytes(body.read),
            request=response.request,
        )


@lru_cache(maxsize=8)
def bounded_client(auth: tuple[str, str] | None, proxy: str | None) -> BoundedClient:
    """One for all models that send the same user and password; connections are kept open."""
    return BoundedClient(auth=auth, proxy=proxy, headers=PLAIN)
