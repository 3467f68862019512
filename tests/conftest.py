"""Tests run small models, which gain nothing from threads and lose much by sharing cores.

No test is timed: a machine that is busy with something else fails none.
"""

import torch
from hypothesis import HealthCheck, settings

torch.set_num_threads(1)
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
