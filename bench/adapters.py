"""What LoRA adapters cost: a token with and without one, and the change between two of them.

    python -m bench.synthetic FILE.gguf
    python -m bench.adapters FILE.gguf [--tokens 20]

Two adapters of rank 16 with random matrices for the attention's output and the feed-forward's last matrix of each
layer; two conversations with one token each in turn, as when two tasks speak at the same time. The cases alternate, and
the tenth of the tokens that was quickest tells: whatever else this machine does makes the others slower.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import gguf
import numpy as np

from units.llm.adapters import Adapters
from units.llm.context import Alarm, Context, Entry
from units.llm.llama import Blend, Model

RANK, ROUNDS = 16, 8
CHANGED = ("attn_output.weight", "ffn_down.weight")


def write_adapter(base: Path, path: Path, seed: int) -> None:
    """Write an adapter for the model `base`."""
    reader, rng = gguf.GGUFReader(str(base)), np.random.default_rng(seed)
    writer = gguf.GGUFWriter(str(path), reader.fields["general.architecture"].contents())
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(RANK))
    for tensor in reader.tensors:
        if tensor.name.endswith(CHANGED):
            inner, outer = (int(length) for length in tensor.shape)
            for name, shape in (("lora_a", (RANK, inner)), ("lora_b", (outer, RANK))):
                writer.add_tensor(f"{tensor.name}.{name}", rng.normal(size=shape).astype(np.float32) * 0.01)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def milliseconds(context: Context, tokens: int, blends: Sequence[Blend]) -> list[float]:
    """Return the milliseconds of each token when so many conversations with these adapters take turns."""
    for sequence in range(len(blends)):
        context.forget(sequence)
    took = []
    for position in range(tokens):
        for sequence, blend in enumerate(blends):
            began = time.perf_counter()
            context.use(blend)
            context.decode([Entry(100, position, sequence, wants_logits=True)])
            took.append(1000 * (time.perf_counter() - began))
    return took


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--tokens", type=int, default=20, help="of each conversation and round")
    given = parser.parse_args()
    model = Model(str(given.model), lambda fraction: None)
    context = Context(model, Alarm(), slots=2, context=512, threads=0, exact=True)
    adapters = Adapters(model, context)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{seed}.gguf" for seed in (1, 2)]
        for seed, file in enumerate(files):
            write_adapter(given.model, file, seed)
        one, other = (adapters.blend([{"path": str(file), "scale": 1.0}]) for file in files)
    cases: dict[str, list[Blend]] = {
        "bare": [(), ()],
        "one adapter": [one, one],
        "bare and one": [(), one],
        "two adapters": [one, other],
    }
    took: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, blends in cases.items():
            took[name] += milliseconds(context, given.tokens, blends)
    for name, each in took.items():
        sys.stdout.write(f"{name:14}{statistics.quantiles(each, n=10)[0]:7.2f} ms a token\n")
    adapters.keep([])
    context.close()


if __name__ == "__main__":
    main()
