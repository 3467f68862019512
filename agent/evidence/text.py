"""Names as people read them, wherever they come from."""


def printable(text: str) -> str:
    """A text of foreign origin on one line, without anything that steers a terminal or a layout."""
    return "".join(c if c.isprintable() else "·" for c in text)


def escaped(text: str) -> str:
    """Turtle or SPARQL in which what is not printable is written as a codepoint escape."""
    return "".join(c if c.isprintable() or c in "\n\t" else _codepoint(c) for c in text)


def cropped(text: str, most: int) -> str:
    """At most so many characters of a text, the last an ellipsis where some are left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _codepoint(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04X}" if number <= 0xFFFF else f"\\U{number:08X}"
