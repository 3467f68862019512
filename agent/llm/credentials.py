"""Keys and passwords of a chat server: they go to its client, and to no log, trace or error."""

from ..address import masked


def apart(address: str | None) -> tuple[str | None, tuple[str, str] | None]:
    """An address without its user and password, and these."""
    import httpx

    url = httpx.URL(address or "")
    if not address or not url.userinfo:
        return address, None
    return str(url.copy_with(username=None, password=None)), (url.username, url.password)


def mask(error: BaseException, secret: str) -> None:
    """Make an error of a client, and what caused it, say `***` for a key that a server repeats."""
    told: BaseException | None = error
    while told is not None:
        vars(told).pop("response", None)  # its body would be traced
        told.args = (masked(str(told), secret),)
        told = told.__cause__ or told.__context__
