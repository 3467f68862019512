"""A made-up KG of any size, for measuring: every entity has a label, a class and facts."""

from pathlib import Path
from random import Random

ENTITIES_PER_TRIPLE = 0.1
"""Each entity has a label, a class and on average eight facts that leave it."""

_RELATIONS = 200
_CLASSES = 50
_WORDS = 20_000
_CONSONANTS = "bcdfghjklmnprstvwz"
_VOWELS = "aeiou"
_NAMESPACE = "http://example.org"
_LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def write_graph(path: Path, triples: int, *, seed: int = 0) -> int:
    """Write so many triples as N-Triples and return the number of entities; same seed, same file.

    Heads are drawn evenly, tails and relations unevenly: a few are hubs. A few triples come twice.
    """
    random = Random(seed)
    entities = max(int(triples * ENTITIES_PER_TRIPLE), 1)
    words = [_word(random) for _ in range(_WORDS)]
    with path.open("w", encoding="ascii") as file:
        for number in range(entities):
            label = " ".join(random.choices(words, k=random.randint(1, 3)))
            head = f"<{_NAMESPACE}/e/{number}>"
            kind = f"<{_NAMESPACE}/class/{int(_CLASSES * random.random() ** 2)}>"
            file.write(f'{head} {_LABEL} "{label}"@en .\n{head} {_TYPE} {kind} .\n')
        for _ in range(triples - 2 * entities):
            head = random.randrange(entities)
            relation = int(_RELATIONS * random.random() ** 2)
            tail = int(entities * random.random() ** 3)
            file.write(
                f"<{_NAMESPACE}/e/{head}> <{_NAMESPACE}/r/{relation}> <{_NAMESPACE}/e/{tail}> .\n"
            )
    return entities


def misspelt(text: str, random: Random) -> str:
    """The text with one typo, or with two where it has eight letters or more."""
    for _ in range(2 if len(text) >= 8 else 1):
        place = random.randrange(len(text))
        before, letter, after = text[:place], text[place], text[place + 1 :]
        other = random.choice(_CONSONANTS + _VOWELS)
        kinds = [before + after, before + other + letter + after, before + other + after]
        if after:
            kinds.append(before + after[0] + letter + after[1:])
        text = random.choice(kinds)
    return text


def _word(random: Random) -> str:
    syllables = (random.choice(_CONSONANTS) + random.choice(_VOWELS) for _ in range(4))
    return "".join(syllables)[: random.randint(3, 8)].capitalize()
