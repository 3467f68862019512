"""The tree of visited tokens: beams that share a prefix share its nodes."""

ROOT = 0
"""The node that stands for the end of the prompt."""


class TokenTree:
    """Nodes are numbered in the order in which they are made, parents before children."""

    def __init__(self) -> None:
        self.parents = [-1]
        self.tokens = [-1]
        self.depths = [0]
        self._children: dict[tuple[int, int], int] = {}

    def child(self, node: int, token: int) -> int:
        """The node that follows `node` by `token`; made when it is new."""
        key = (node, token)
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = len(self.parents)
            self.parents.append(node)
            self.tokens.append(token)
            self.depths.append(self.depths[node] + 1)
        return child

    def line(self, node: int) -> list[int]:
        """The nodes from the first one after the root down to `node`."""
        line = list[int]()
        while node != ROOT:
            line.append(node)
            node = self.parents[node]
        line.reverse()
        return line
