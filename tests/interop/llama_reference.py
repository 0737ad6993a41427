#!/usr/bin/env python3
"""A llama-architecture model in NumPy that shares nothing with txvm: the oracle of its inference.

llama_reference.py MODEL TOKENS   MODEL is a directory (config.json, model.safetensors or shards with
an index) or a .gguf file; TOKENS is a comma-separated list. Prints, in 64-bit arithmetic on the
stored weights, one line of logits per token.
"""
import sys
import numpy as np
from llm_files import read_model


def norm(x, w, epsilon):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * w


def rotate(x, c):  # (tokens, heads, head_dim)
    half = c["head_dim"] // 2
    angle = np.arange(len(x))[:, None] * c["base"] ** (-np.arange(half) / half)
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    a, b = (x[..., 0::2], x[..., 1::2]) if c["pairs"] else (x[..., :half], x[..., half:])
    a, b = a * cos - b * sin, b * cos + a * sin
    return np.stack([a, b], -1).reshape(x.shape) if c["pairs"] else np.concatenate([a, b], -1)


def logits(w, c, tokens):
    x, n, group = w["model.embed_tokens.weight"][tokens], len(tokens), c["heads"] // c["kv_heads"]
    for i in range(c["layers"]):
        p = lambda name: w[f"model.layers.{i}.{name}.weight"]
        h = norm(x, p("input_layernorm"), c["epsilon"])
        q, k, v = ((h @ p(f"self_attn.{s}_proj").T).reshape(n, -1, c["head_dim"]) for s in "qkv")
        q, k = rotate(q, c), rotate(k, c).repeat(group, 1)
        score = np.einsum("thd,shd->hts", q, k) / np.sqrt(c["head_dim"])
        score = np.where(np.tri(n, dtype=bool), score, -np.inf)
        score = np.exp(score - score.max(-1, keepdims=True))
        attended = np.einsum("hts,shd->thd", score / score.sum(-1, keepdims=True), v.repeat(group, 1))
        x = x + attended.reshape(n, -1) @ p("self_attn.o_proj").T
        h = norm(x, p("post_attention_layernorm"), c["epsilon"])
        gate = h @ p("mlp.gate_proj").T
        x = x + (gate / (1 + np.exp(-gate)) * (h @ p("mlp.up_proj").T)) @ p("mlp.down_proj").T
    return norm(x, w["model.norm.weight"], c["epsilon"]) @ w.get("lm_head.weight", w["model.embed_tokens.weight"]).T


if __name__ == "__main__":
    weights, config = read_model(sys.argv[1])
    for row in logits(weights, config, [int(t) for t in sys.argv[2].split(",")]):
        print(" ".join(repr(float(value)) for value in row))
