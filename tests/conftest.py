"""Tests run small models, which gain nothing from threads and lose much by sharing cores."""

import torch

torch.set_num_threads(1)
