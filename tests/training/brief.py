"""Trainings whose questions take a second, where those of a user's take half a minute."""

from dataclasses import replace

import pytest
from groundwalk.training import material
from groundwalk.training.fitting import account, exams, fit, words
from groundwalk.training.reader import thresholds, tune, tuning
from groundwalk.training.reader.tuning import TUNING


def brief(patch: pytest.MonkeyPatch) -> None:
    """Few questions make the tokenizer, watch a run, fit the thresholds and the baselines."""
    patch.setattr(material, "_TOKENIZER_SAMPLES", 400)
    patch.setattr(material, "_HELD_OUT", 4)
    patch.setattr(material, "_WATCHED", 4)
    patch.setattr(words, "_OF_ENTITY", 20)
    patch.setattr(words, "_DISTURBED", 400)
    patch.setattr(words, "_TEMPLATES", 200)
    patch.setattr(fit, "ACCOUNT_STEPS", 3)
    patch.setattr(account, "_ALIGNED", 100)
    patch.setattr(account, "_COUNTED", 100)
    patch.setattr(account, "_JUDGED", 20)
    patch.setattr(exams, "_ANSWERABLE", 12)
    patch.setattr(exams, "_UNANSWERABLE", 6)


def brief_tuning(patch: pytest.MonkeyPatch) -> None:
    """A tiny reader learns fast, beside few other graphs, and few questions are held out."""
    patch.setattr(thresholds, "_OF_ONE", 10)
    patch.setattr(thresholds, "_NONE_OF_ONE", 5)
    patch.setattr(thresholds, "_ACCOUNTED", 5)
    patch.setattr(tuning, "_GRAPHS", 2)
    patch.setattr(tuning, "_OF_EACH", 2)
    patch.setattr(tuning, "_DOMAINS", 2)
    patch.setattr(tune, "_OF_EACH", 25)
    patch.setattr(tune, "TUNING", replace(TUNING, batch=8, rate=5e-3))
