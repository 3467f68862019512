"""What the general reader costs: `python -m groundwalk.evaluation.benchmarks.reading`.

Prints the seconds to load it (`--reader DIR`), how many labels a second are made ready to be read,
and the seconds in which a question is read over MetaQA's graph of 134,741 facts, on one thread. The
data is that of `GROUNDWALK_DATA`.
"""

import sys
from collections.abc import Sequence
from itertools import islice
from statistics import median, quantiles
from time import perf_counter
from typing import Any

import torch

from ...agent.answers.topics import linked
from ...agent.linking import LabelLinker
from ...agent.nodes.read import plan_of
from ...agent.options import Options
from ...agent.query.question import Asked, mentions_of
from ...agent.reader.graph import reading_tools
from ...agent.reader.inputs import Inputs
from ...agent.reader.search import LabelReader
from ...agent.reader.weights import BUNDLED, GeneralReader, open_reader
from ..datasets import read_samples
from .harness import conduct, data_folder, metaqa_graph, options_of

_WARM_UP = 3
"""Questions that are not counted."""
_LABELS = 5_000


def run(opened: GeneralReader, questions: int) -> dict[str, Any]:
    """The report. Raises InputError where the data is not there, and ModelError."""
    since = perf_counter()
    weights = opened.load()
    loaded = perf_counter() - since
    aliases = islice(weights.lexicon.aliases, _LABELS)
    names = [" ".join(words) for words in aliases]
    inputs, since = Inputs(weights.lexicon), perf_counter()
    for name in names:
        inputs.entry(name)
    labels = len(names) / (perf_counter() - since)
    kg = metaqa_graph()
    linker, read = LabelLinker(kg.labels), LabelReader(reading_tools(kg, lambda: weights))
    samples = list(islice(read_samples("metaqa", data_folder() / "metaqa", "1-hop/dev"), questions))
    seconds, passes = list[float](), list[int]()
    for sample in samples:
        question = sample.question.replace("[", "").replace("]", "")
        mentions = mentions_of(question, linked(linker, kg, question).mentions)
        since = perf_counter()
        queries = read.read(Asked(question, mentions), plan_of(Options()))
        seconds.append(perf_counter() - since)
        passes.append(queries.cost.forward_passes)
    counted = seconds[_WARM_UP:]
    return {
        "load": round(loaded, 3),
        "labels a second": round(labels),
        "questions": len(counted),
        "seconds a question": round(median(counted), 4),
        "seconds, nine of ten": round(quantiles(counted, n=10)[-1], 4),
        "passes a question": round(median(passes[_WARM_UP:]), 1),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. The exit code is 2 for what the user can mend."""
    parser = options_of("reading", __doc__)
    parser.add_argument("--reader", default=BUNDLED, help="the folder of a reader")
    parser.add_argument("--questions", type=int, default=100, metavar="N")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    return conduct(
        lambda: run(open_reader(options.reader), options.questions + _WARM_UP),
        lambda report: [f"{name:>22}  {value}" for name, value in report.items()],
        options.out,
    )


if __name__ == "__main__":
    sys.exit(main())
