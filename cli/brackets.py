"""References to numbered things."""

from collections.abc import Iterable


def brackets(numbers: Iterable[int]) -> str:
    """Numbers as a reference: `[1]`, `[2, 5]`, `[1-4]`; nothing for none."""
    runs = list[list[int]]()
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    told = [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return f"[{', '.join(told)}]" if told else ""
