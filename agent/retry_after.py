"""How long a service asks to be left alone: the Retry-After header of HTTP (RFC 9110, 10.2.3)."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def asked_to_wait(header: str) -> float:
    """Seconds, from the text of a header of seconds or of a date; 0 where it is neither."""
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        date = parsedate_to_datetime(text)
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max((date - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, OverflowError):
        return 0.0
