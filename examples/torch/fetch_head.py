#!/usr/bin/env python3
"""Finds the head that fetches instructions, watches it at work, and breaks it.

    txvm weights export model/ --program examples/gcd.txa --invoke gcd 48 18
    python3 examples/torch/fetch_head.py model/

Cells of a notebook, marked `# %%`.
"""
import sys

import torch
import txvm.torch

folder = sys.argv[1] if len(sys.argv) > 1 else "model/"

# %% A transformer of ten layers, and a program: its first state and its memory, a token for each instruction.
model = txvm.torch.Transformer.load(folder)
program = txvm.torch.read_program(folder)
print(f"{len(model.layers)} layers, width {model.width}, {len(program.tokens)} tokens of memory")

# %% Run it whole.
whole = model.run([program])[0]
print(whole.outcome, "after", whole.steps, "steps, on top:", whole.top)

# %% The fetch head by its behaviour alone: in every step it must find the token at the instruction pointer. Each head's
# winners are recorded by hooks; the head whose winners are the instruction pointers is the one.
winners = {}


def watch(layer, attention):
    def hook(module, inputs, output):
        x, keys, _, lengths = inputs
        winners.setdefault(layer, []).append(attention.scores(x, keys, lengths).argmax(-1)[0].tolist())
    return attention.register_forward_hook(hook)


handles = [watch(i, layer.attention) for i, layer in enumerate(model.layers) if layer.attention is not None]
pointers = []
model.run([program], on_pass=lambda state, after, writes: pointers.append(int(state[0, model.field["ip"]])))
for handle in handles:
    handle.remove()
found = [(layer, head) for layer, passes in winners.items() for head in range(len(passes[0]))
         if [heads[head] for heads in passes] == pointers]
assert found == [model.find_head("Fetch")], found
layer, head = found[0]
print(f"head {head} of layer {layer} always finds the instruction pointer's token: {pointers[:8]} ...")

# %% Its keys lie on a parabola: the score of key k for query a is 2 a k - k^2 on each digit, largest at k = a.
attention = model.layers[layer].attention
size = attention.score_size
part = slice(head * size, (head + 1) * size)
keys = attention.key(model.embed_memory(torch.tensor(program.tokens[:6], dtype=torch.float32)))[:, part]
for address, key in enumerate(keys):
    print(f"  instruction {address}: key {[int(x) for x in key]}")

# %% Break it: one weight of the query, and the head finds another instruction.
attention.query.weight[head * size] *= 3
broken = model.run([program], fuel=200)[0]
print("with one row of the query times three:", broken.outcome, "after", broken.steps, "steps")
assert (broken.steps, broken.digest) != (whole.steps, whole.digest)
attention.query.weight[head * size] /= 3
assert model.run([program])[0] == whole
