"""The user's knowledge graph: terms, stores, label index, verification."""

from .broken import LeftOut, OnBroken
from .building import BuildProgress, OnProgress
from .execution import Execution, Reached, execute
from .factless import why_no_facts
from .folder import build, open_kg
from .graph import KnowledgeGraph
from .labels import Hit, LabelIndex, RelationInfo, Similar, TermInfo, Word
from .languages import language_tags
from .names import local_name, normalise
from .oxigraph import OxigraphStore
from .profile import GENERIC, Profile, load_profile
from .rdflib_kg import kg_of
from .readers import name_iri
from .reading import Reading, reading_of
from .store import Counts, Labels, Store
from .terms import Path, RelationPath, Step, Term, Triple, is_connected, is_iri, is_literal
from .verification import PathVerdict, Verdict, verify_paths

__all__ = [
    "GENERIC",
    "BuildProgress",
    "Counts",
    "Execution",
    "Hit",
    "KnowledgeGraph",
    "LabelIndex",
    "Labels",
    "LeftOut",
    "OnBroken",
    "OnProgress",
    "OxigraphStore",
    "Path",
    "PathVerdict",
    "Profile",
    "Reached",
    "Reading",
    "RelationInfo",
    "RelationPath",
    "Similar",
    "Step",
    "Store",
    "Term",
    "TermInfo",
    "Triple",
    "Verdict",
    "Word",
    "build",
    "execute",
    "is_connected",
    "is_iri",
    "is_literal",
    "kg_of",
    "language_tags",
    "load_profile",
    "local_name",
    "name_iri",
    "normalise",
    "open_kg",
    "reading_of",
    "verify_paths",
    "why_no_facts",
]
