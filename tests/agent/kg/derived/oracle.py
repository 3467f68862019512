"""What a reading presents, by its definition: sets of triples, saturated and paired naively."""

from collections import Counter
from collections.abc import Collection
from itertools import combinations
from typing import NamedTuple

from groundwalk.agent.kg import Profile, Reading, Step, Term, Triple
from groundwalk.agent.kg.derived.relations import Joined, about
from groundwalk.agent.kg.profile import SCHEMA_NAMESPACES, UNLABELLED

from .worlds import ABOUT, ANNOTATED, REIFIES, SUBJECT

MOST_STEPS = 50


class Presented(NamedTuple):
    """All facts, those of them that are walked one way, and what stands for each merged term."""

    facts: frozenset[Triple]
    one_way: frozenset[Triple]
    stands: dict[Term, Term]

    def steps(self, node: Term) -> set[Step]:
        """The steps that leave a node of the facts."""
        forwards = {Step(fact) for fact in self.facts if fact.head == node}
        return forwards | {Step(f, True) for f in self.facts - self.one_way if f.tail == node}


def presented(triples: Collection[Triple], profile: Profile, reading: Reading) -> Presented:
    reified = [t for t in triples if t.relation == REIFIES]
    triples = [t for t in triples if not t.tail.startswith("<<(")]
    base = {t for t in triples if not profile.skips(t.relation)}
    facts, one_way = entailed(triples, base, profile, reading)
    if reading.mediators == "collapse":
        facts |= {
            Triple(s.head, about(p.tail), s.tail)
            for s in triples
            for p in triples
            if (s.relation, p.relation) in ABOUT and s.head == p.head
            if not literal(s.tail) and not profile.skips(p.tail)
        }
        for reifier, _, told in reified:
            subject, predicate, _ = told.removeprefix("<<( ").split(" ", 2)
            if not profile.skips(predicate):
                facts.add(Triple(reifier, about(predicate), subject))
    stands = merged(triples, base, profile) if reading.same_as else {}

    def moved(fact: Triple) -> Triple:
        return Triple(
            stands.get(fact.head, fact.head), fact.relation, stands.get(fact.tail, fact.tail)
        )

    facts, one_way = {moved(f) for f in facts}, {moved(f) for f in one_way}
    if reading.mediators == "collapse":
        facts, one_way = collapsed([*triples, *reified], facts, one_way, profile)
    return Presented(frozenset(facts), frozenset(one_way), stands)


def entailed(
    triples: Collection[Triple], base: set[Triple], profile: Profile, reading: Reading
) -> tuple[set[Triple], set[Triple]]:
    """Saturated by the two rules; literals may be heads until the end."""
    above = {(h, t) for h, r, t in triples if r in profile.sub_property_of}
    inverse = {(h, t) for h, r, t in triples if r in profile.inverse_of}
    inverse |= {(t, h) for h, t in inverse}
    above = above if reading.sub_property_of else set()
    inverse = inverse if reading.inverse_of else set()
    facts, new = set(base), set(base)
    while new:
        new = {
            *(Triple(h, p, t) for h, r, t in new for q, p in above if q == r),
            *(Triple(t, p, h) for h, r, t in new for q, p in inverse if q == r),
        } - facts
        facts |= new

    def walked(relation: Term) -> bool:
        return not profile.skips(relation) and not relation[1:].startswith(SCHEMA_NAMESPACES)

    facts = {f for f in facts if (walked(f.relation) or f in base) and not literal(f.head)}
    told = {q for q, p in inverse if walked(p)}
    return facts, {f for f in facts if f.relation in told and not literal(f.tail)}


def merged(triples: Collection[Triple], base: set[Triple], profile: Profile) -> dict[Term, Term]:
    groups: list[set[Term]] = []
    for head, relation, tail in triples:
        if relation in profile.same_as and not literal(tail):
            together = [group for group in groups if group & {head, tail}]
            groups = [group for group in groups if group not in together]
            groups.append({head, tail}.union(*together))
    degree = Counter(term for fact in base for term in (fact.head, fact.tail))
    return {
        term: min(group, key=lambda t: (-degree[t], t))
        for group in groups
        if 1 < len(group) <= 100
        for term in group
    }


def collapsed(
    triples: Collection[Triple], facts: set[Triple], one_way: set[Triple], profile: Profile
) -> tuple[set[Triple], set[Triple]]:
    labelled = {t.head for t in triples if t.relation in profile.labels}
    statements = {t.head for t in triples if t.relation in (SUBJECT, ANNOTATED[0], REIFIES)}
    prefixes = tuple(text for text in profile.nodes if text != UNLABELLED)

    def like(term: Term) -> bool:
        unlabelled = UNLABELLED in profile.nodes and term not in labelled
        return not literal(term) and (unlabelled or term in statements or term.startswith(prefixes))

    def steps(node: Term) -> set[tuple[Term, bool, Term]]:
        forwards = {(f.relation, False, f.tail) for f in facts if f.head == node}
        return forwards | {(f.relation, True, f.head) for f in facts - one_way if f.tail == node}

    ends = {end for f in facts for end in (f.head, f.tail)}
    mediators = {end for end in ends if like(end) and len(steps(end)) <= MOST_STEPS}
    kept = {f for f in facts if f.head not in mediators and f.tail not in mediators}
    kept_one_way = kept & one_way
    for mediator in mediators:
        around = {step for step in steps(mediator) if step[2] != mediator}
        following = {
            Triple(x, Joined((p, False), (q, False)).term, y)
            for p, back, x in around
            for q, off, y in around
            if back and not off
        }
        kept |= following
        covered = {frozenset((f.head, f.tail)) for f in following}
        for (p, back, x), (q, off, y) in combinations(sorted(around), 2):
            if back != off or frozenset((x, y)) in covered:
                continue
            there = Triple(x, Joined((p, not back), (q, off)).term, y)
            turned = Triple(y, Joined((q, not off), (p, back)).term, x)
            found = [f for f in (there, turned) if not literal(f.head)]
            if len(found) == 2 and there.relation != turned.relation:
                found = [min(found, key=lambda f: f.relation)]
            kept.update(found)
            if p == q:
                kept_one_way.update(f for f in found if not literal(f.tail))
    return kept, kept_one_way


def literal(term: Term) -> bool:
    return term.startswith('"')
