"""Maps the folders at the top of the repository to the parts of one package."""

from setuptools import find_packages, setup

PARTS = ("agent", "graphs", "prompts", "evaluation", "training", "cli", "data")

found = find_packages(include=[pattern for part in PARTS for pattern in (part, f"{part}.*")])
setup(
    packages=["groundwalk", *(f"groundwalk.{name}" for name in found)],
    package_dir={"groundwalk": "groundwalk", **{f"groundwalk.{part}": part for part in PARTS}},
)
