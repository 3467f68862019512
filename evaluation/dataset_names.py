"""The names of the datasets, for whoever must be quick: the readers themselves import more."""

DATASET_NAMES = (
    "2wiki",
    "commonsenseqa",
    "exam",
    "freebaseqa",
    "jsonl",
    "medqa",
    "metaqa",
    "pathquestion",
    "qald",
    "rog",
    "world",
)
"""Those of `readers.DATASETS`."""
