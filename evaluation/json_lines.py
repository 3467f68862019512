"""Lines of JSON that every reader takes: UTF-8, and no half of a character in them."""

import json


def json_line(content: object) -> bytes:
    """A value as a line of JSON. A lone surrogate, which no UTF-8 can hold, becomes U+FFFD."""
    return whole(json.dumps(content, ensure_ascii=False) + "\n").encode()


def whole(text: str) -> str:
    """A text in which each half of a character is U+FFFD, and two that fit are the character."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
