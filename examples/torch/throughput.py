#!/usr/bin/env python3
"""Steps a second of a batch of programs on the transformer in PyTorch, by the size of the batch.

    txvm weights export model/ --program examples/gcd.txa --invoke gcd 48 18
    python3 examples/torch/throughput.py model/ --device cuda --batches 1,16,256,4096

Prints one row for each batch: programs, passes, seconds, steps a second of all programs together.
"""
import argparse
import time

import torch
import txvm.torch


def main():
    parser = argparse.ArgumentParser(description="Measure txvm.torch by the size of the batch.")
    parser.add_argument("model", help="what `txvm weights export --program` wrote")
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default cpu)")
    parser.add_argument("--batches", default="1,4,16,64", metavar="N,...", help="sizes (default 1,4,16,64)")
    parser.add_argument("--fuel", type=int, default=200, metavar="N", help="steps of a program at most (default 200)")
    options = parser.parse_args()
    model = txvm.torch.Transformer.load(options.model, options.device)
    program = txvm.torch.read_program(options.model)
    model.run([program], fuel=2)  # what is loaded on first use is not measured
    print(f"| batch | passes | seconds | steps a second ({options.device}, PyTorch {torch.__version__}) |\n|--|--|--|--|")
    for batch in map(int, options.batches.split(",")):
        if options.device != "cpu":
            torch.cuda.synchronize()
        start = time.perf_counter()
        runs = model.run([program] * batch, fuel=options.fuel)
        seconds = time.perf_counter() - start
        assert len({(run.outcome, run.steps, run.digest) for run in runs}) == 1, "equal programs run alike"
        steps = sum(run.steps for run in runs)
        print(f"| {batch:,} | {runs[0].passes:,} | {seconds:.2f} | {steps / seconds:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
