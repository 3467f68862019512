"""From the records of runs to numbers: means with intervals, calibration, comparisons."""
