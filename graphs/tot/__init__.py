"""tot: Tree-of-Traversals (Markowitz et al., ACL 2024).

A best-first search over traversals of the KG (section 3). In its default phase a traversal may
THINK (never twice in a row), EXPAND or ANSWER; to expand it selects entities, then a relation
(section 3.2). Each new traversal is valued from 0 to 1 (section 3.3); the most valuable one is
expanded next, ties go to the deeper one, and an answer of at least `enough` ends the search
(section 3.4). Where the paper leaves it open, or a deterministic model needs it:

- The alternatives of an expansion are asked for in one call, not drawn from several.
- At the maximum depth a traversal in its default phase may only answer.
- An expansion from which nothing could be read leaves one child of value -1, which is the last to
  be expanded, so that the search can still end in an answer.
- Where no traversal has answered when the search ends, the most valuable one is asked to.
- Answers are matched with the entities of the traversal's triples; others are unsupported.

Without a chat LLM the likelihoods of the local model decide (`likely.py`): not the paper's method,
and labelled so.
"""

from .flow import TOT

__all__ = ["TOT"]
