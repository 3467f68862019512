"""A new model: its own tokenizer, fresh weights, trained on the CPU in minutes."""

from ...agent.llm.local import LocalModel
from ..encoding.walks import Encoder
from .making import Job, Made
from .model import new_model, round_weights


def from_scratch(job: Job) -> Made:
    """Train a small model that knows nothing but the graph."""
    from ..encoding.tokenizer import train_tokenizer
    from .plain_loop import train_model

    recipe, graph = job.recipe, job.material.graph
    masked = recipe.mask is not False
    tokenizer = train_tokenizer(
        job.material.texts(masked=masked),
        kinds=graph.kinds,
        queries=job.material.queries is not None,
    )
    encoder = Encoder(graph, tokenizer, masked=masked)
    eos, pad = encoder.units.eos, encoder.units.pad
    size = recipe.size_for(job.material.hops)
    model = new_model(len(tokenizer), size, recipe.seed, eos=eos, pad=pad)
    settings = job.settings(masked=masked, instruct=False)
    local = LocalModel("in training", model, tokenizer, settings)
    trained = train_model(
        model,
        job.batches(encoder),
        job.schedule,
        job.looks(local),
        seed=recipe.seed,
        pad=pad,
        partial=job.partial,
        elapsed=job.elapsed,
        watcher=job.watcher,
    )
    round_weights(model)
    return Made(local, trained)
