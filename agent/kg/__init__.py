"""The user's knowledge graph: terms, stores, label index, verification."""

from .derived import Reading, reading_of
from .files.building import BuildProgress, OnProgress
from .files.readers import name_iri
from .files.statements import LeftOut, OnBroken
from .graph import KnowledgeGraph, why_no_facts
from .labels.index import Hit, LabelIndex, RelationInfo, Similar, TermInfo, Word
from .labels.names import local_name, normalise
from .opening import build, kg_of, open_kg
from .profile import GENERIC, Profile, language_tags, load_profile
from .store import Counts, Labels, Store
from .stores.oxigraph import OxigraphStore
from .terms import Path, RelationPath, Step, Term, Triple, is_connected, is_iri, is_literal
from .verification.claims import PathVerdict, Verdict, verify_paths
from .walking.execution import Execution, Reached, execute

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
