"""Random small graphs and random queries over them, of every part of the language.

Left out are connections, converted units and earlier answers, which SPARQL cannot say.
"""

import json
from random import Random
from typing import Any

BASE = "http://e.x/"
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
XSD = "http://www.w3.org/2001/XMLSchema#"
THINGS = "abcdefgh"
CLASSES = ("One", "Two", "Three")
LINKS = ("link", "part")
VALUES = ("size", "born", "motto")
NAMES = (
    "Alpha",
    "alpha beta",
    "BETA",
    'q"uote\\',
    "} UNION { ?s ?p ?o",
    "<PATH>x</PATH>",
    "été",
    "tab\there",
    "?answer ?x1 .",
    "12",
    "$1 \\u0041",
    "' OR 1=1 --",
)

Tree = dict[str, Any]


def some_graph(random: Random, *, ordered: bool = False) -> str:
    """A graph in N-Triples: things of three classes, links between them, values of three kinds.

    Only two of the classes are asked for; each may be below another where they are `ordered`.
    """
    lines = [f'<{BASE}{own}> {LABEL} "{own}" .' for own in (*LINKS, *VALUES, "One", "Two")]
    for thing in THINGS:
        head = f"<{BASE}{thing}>"
        if random.random() < 0.8:
            tag = random.choice(("", "@en", "@de"))
            lines.append(f"{head} {LABEL} {json.dumps(random.choice(NAMES))}{tag} .")
        for own in random.sample(CLASSES, random.randint(0, 2)):
            lines.append(f"{head} {RDF_TYPE} <{BASE}{own}> .")
        for link in LINKS:
            for other in random.sample(THINGS, random.randint(0, 3)):
                lines.append(f"{head} <{BASE}{link}> <{BASE}{other}> .")
        for name in VALUES:
            for _ in range(random.choice((0, 1, 1, 2))):
                lines.append(f"{head} <{BASE}{name}> {_literal(random, name)} .")
    for own in CLASSES:
        if ordered and random.random() < 0.4:
            lines.append(f"<{BASE}{own}> {SUBCLASS} <{BASE}{random.choice(CLASSES)}> .")
    for own in ("One", "Two"):
        lines.append(f"<{BASE}a> {RDF_TYPE} <{BASE}{own}> .")
    for own in LINKS:
        lines.append(f"<{BASE}a> <{BASE}{own}> <{BASE}b> .")
    for own in VALUES:
        lines.append(f"<{BASE}b> <{BASE}{own}> {_literal(random, own)} .")
    return "\n".join(lines) + "\n"


def some_query(random: Random) -> tuple[Tree, list[str]]:
    """A query, and the terms of its mentions."""
    mentions = [f"<{BASE}{thing}>" for thing in random.sample(THINGS, 3)]
    return _Queries(random).top(), mentions


def _literal(random: Random, name: str) -> str:
    match name:
        case "size":
            kind, text = random.choice(
                (
                    ("integer", str(random.randint(-1, 4))),
                    ("decimal", f"{random.randint(0, 3)}.{random.choice('05')}"),
                    ("double", f"{random.randint(0, 3)}.0E0"),
                )
            )
            return f'"{text}"^^<{XSD}{kind}>'
        case "born":
            day = f"{random.randint(1999, 2001)}-0{random.randint(1, 2)}-1{random.randint(0, 1)}"
            return random.choice(
                (
                    f'"{day}"^^<{XSD}date>',
                    f'"{day}T10:30:00"^^<{XSD}dateTime>',
                    f'"{day[:4]}"^^<{XSD}gYear>',
                    f'"{day[:7]}"^^<{XSD}gYearMonth>',
                )
            )
        case _:
            return json.dumps(random.choice(NAMES)) + random.choice(("", "", "@en"))


class _Queries:
    def __init__(self, random: Random) -> None:
        self._random = random

    def top(self) -> Tree:
        """A whole query, with what is told of its set."""
        random = self._random
        kind = random.random()
        if kind < 0.45:
            return self._set(3)
        if kind < 0.6:
            return {**self._set(3), "answer": "count"}
        if kind < 0.7:
            agg = random.choice(("sum", "avg", "min", "max"))
            return {"start": self._set(2), "steps": [_hop("size")], "answer": agg}
        if kind < 0.8:
            every = [self._set(2)] if random.random() < 0.3 else []
            return {**self._set(2), "answer": "yesno"} | ({"all": every} if every else {})
        if kind < 0.9:
            shown: list[Tree] = [{"steps": self._steps(1)}, {"agg": "count", "of": self._steps(1)}]
            columns = [random.choice(shown) for _ in range(random.randint(1, 2))]
            return {**self._set(2), "columns": columns}
        agg = random.choice(("count", "sum", "min", "max", "avg"))
        column = {"agg": agg} if agg == "count" else {"agg": agg, "of": [_hop("size")]}
        return {**self._group(2, extreme=False), "columns": [column]}

    def _set(self, depth: int) -> Tree:
        random = self._random
        if depth > 1 and random.random() < 0.1:
            return self._group(depth - 1)
        tree: Tree = {"start": self._start(depth)}
        steps = self._steps(random.choice((0, 0, 1, 1, 2)))
        if steps:
            tree["steps"] = steps
        if random.random() < 0.2:
            tree["class"] = random.choice(("One", "Two"))
        if random.random() < 0.6:
            tree["filters"] = [self._filter(depth) for _ in range(random.randint(1, 2))]
        for key in ("and", "not"):
            if depth > 1 and random.random() < 0.2:
                tree[key] = [self._set(depth - 1)]
        if random.random() < 0.25 and not (steps and steps[-1]["relation"] in VALUES):
            tree["extreme"] = self._extreme(depth)
        return tree

    def _group(self, depth: int, *, extreme: bool = True) -> Tree:
        random = self._random
        tree = {"start": self._set(depth), "group": [self._link()]}
        if random.random() < 0.5:
            op = random.choice((">", ">=", "=", "<"))
            tree["having"] = [{"agg": "count", "op": op, "value": random.randint(1, 3)}]
        if extreme and random.random() < 0.5:
            agg = random.choice(("count", "sum", "max"))
            of = {} if agg == "count" else {"of": [_hop("size")]}
            tree["extreme"] = {"agg": agg, **of, "most": random.random() < 0.5, **self._place()}
        return tree

    def _start(self, depth: int) -> Any:
        random = self._random
        kind = random.random()
        if kind < 0.3:
            return random.sample(range(3), random.randint(1, 2))
        if kind < 0.6:
            return {"class": random.choice(("One", "Two"))}
        if kind < 0.7:
            return {"domain": random.choice((*LINKS, *VALUES))}
        if kind < 0.75:
            return {"class": "anything"}
        if kind < 0.8 or depth == 1:
            return {"entity": f"<{BASE}{random.choice(THINGS)}>"}
        if kind < 0.9:
            return {"any": [self._set(depth - 1) for _ in range(2)]}
        return self._set(depth - 1)

    def _steps(self, number: int) -> list[Tree]:
        steps = [self._link() for _ in range(number)]
        if number and self._random.random() < 0.2:
            steps[-1] = _hop(self._random.choice(VALUES))
        return steps

    def _link(self) -> Tree:
        step = _hop(self._random.choice(LINKS))
        return {**step, "inverse": True} if self._random.random() < 0.3 else step

    def _place(self) -> Tree:
        number = self._random.randint(1, 3)
        return self._random.choice(({}, {"n": number}, {"place": number}))

    def _extreme(self, depth: int) -> Tree:
        most = {"most": self._random.random() < 0.5, **self._place()}
        if self._random.random() < 0.3:
            return {**self._link(), "count": True, **most}
        via = {"via": [self._link()]} if self._random.random() < 0.2 else {}
        return {**_hop(self._random.choice(("size", "born"))), **via, **most}

    def _filter(self, depth: int) -> Tree:
        random = self._random
        kind = random.random()
        order = random.choice(("=", "!=", "<", ">", "<=", ">="))
        if kind < 0.2:
            value: Any = random.choice((random.randint(0, 3), 1.5, "2", "200X"))
            return {**_hop("size"), "op": order, "value": value}
        if kind < 0.35:
            return self._dated(order)
        if kind < 0.45:
            op = random.choice(("=", "starts", "ends", "contains"))
            return {**_hop("motto"), "op": op, "value": random.choice((*NAMES, "a", "beta"))}
        if kind < 0.55:
            op = random.choice(("=", "!=", "starts", "contains"))
            return {"op": op, "value": random.choice((*NAMES, "al", "12"))}
        if kind < 0.65:
            return {**self._link(), "op": random.choice(("exists", "not exists"))}
        if kind < 0.75:
            op = random.choice(("=", "!="))
            return {**self._link(), "op": op, "mention": random.randint(0, 2)}
        if kind < 0.85:
            among = {"among": self._set(1)} if random.random() < 0.3 else {}
            return {
                **self._link(),
                "count": True,
                **among,
                "op": order,
                "value": self._number(depth),
            }
        if kind < 0.95 and depth > 1:
            other: Tree = {"start": [random.randint(0, 2)], "steps": [_hop("size")]}
            if random.random() < 0.5:
                other["answer"] = random.choice(("max", "min"))
            return {**_hop("size"), "op": random.choice(("<", ">", "=", ">=")), "value": other}
        return {**_hop("size"), "via": [self._link()], "op": order, "value": random.randint(0, 3)}

    def _number(self, depth: int) -> int | Tree:
        """A small number, or how many there are of something."""
        if depth < 2 or self._random.random() < 0.7:
            return self._random.randint(0, 2)
        return {**self._set(1), "answer": "count"}

    def _dated(self, op: str) -> Tree:
        random = self._random
        if random.random() < 0.4:
            return {**_hop("born"), "op": op, "value": "2000", "of": "year"}
        text = random.choice(
            ("2000-01-10", "2000-02", "2000", "2000-01-10T10:30:00", "199X", "19XX", "200x")
        )
        return {**_hop("born"), "op": op, "value": text}


def _hop(relation: str) -> Tree:
    return {"relation": relation}
