#!/usr/bin/env python3
"""Runs a tokenised program on exported txvm weights, with NumPy and nothing of txvm.

DIR holds config.json, model.safetensors and program.json ("txvm weights export DIR --program FILE").
Between two tokens: embed, multiply by the stored matrices, hard attention (the latest of the best
keys), gated ReLU, add; all in float32. Prints outcome, cause, steps, passes, top, digest.
"""
import argparse, json, os
import numpy as np

def load_tensors(path):
    data = open(path, "rb").read()
    size = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8:8 + size]), data[8 + size:]
    header.pop("__metadata__", None)
    return {name: np.frombuffer(body[t["data_offsets"][0]:t["data_offsets"][1]], "<f4").reshape(t["shape"])
            for name, t in header.items()}

class Machine:
    def __init__(self, directory):
        self.config = json.load(open(os.path.join(directory, "config.json")))
        self.tensor = load_tensors(os.path.join(directory, "model.safetensors"))
        self.keys = [[] for _ in self.config["layers"]]    # by layer: W_K x + b_K of every token
        self.values = [[] for _ in self.config["layers"]]  # by layer: W_V x
    def weight(self, i, name):
        return self.tensor[f"model.layers.{i}.{name}"]
    def embed(self, state, memory):
        fields = np.zeros(self.config["state_fields"] + self.config["memory_fields"], np.float32)
        fields[:len(state)] = state
        fields[self.config["state_fields"]:self.config["state_fields"] + len(memory)] = memory
        return self.tensor["model.embed_tokens.weight"] @ fields
    def append(self, memory):
        x = self.embed([], memory)
        for i, layer in enumerate(self.config["layers"]):
            if layer["heads"]:
                self.keys[i].append(self.weight(i, "self_attn.k_proj.weight") @ x
                                    + self.weight(i, "self_attn.k_proj.bias"))
                self.values[i].append(self.weight(i, "self_attn.v_proj.weight") @ x)
    def attend(self, i, layer, x):
        size, at, result = self.config["score_size"], 0, []
        query = self.weight(i, "self_attn.q_proj.weight") @ x + self.weight(i, "self_attn.q_proj.bias")
        keys, values = np.array(self.keys[i]), np.array(self.values[i])
        for h, head in enumerate(layer["heads"]):
            part = slice(h * size, (h + 1) * size)
            scores = keys[:, part] @ query[part]
            winner = len(scores) - 1 - np.argmax(scores[::-1])  # the latest of the best
            result.append(values[winner, at:at + head["values"]])
            at += head["values"]
        return self.weight(i, "self_attn.o_proj.weight") @ np.concatenate(result)
    def forward(self, state):
        x = self.embed(state, [])
        for i, layer in enumerate(self.config["layers"]):
            if layer["heads"]:
                x = x + self.attend(i, layer, x)
            gate = self.weight(i, "mlp.gate_proj.weight") @ x + self.weight(i, "mlp.gate_proj.bias")
            up = self.weight(i, "mlp.up_proj.weight") @ x + self.weight(i, "mlp.up_proj.bias")
            x = x + self.weight(i, "mlp.down_proj.weight") @ (np.maximum(gate, 0) * up)
        out = (self.tensor["lm_head.weight"] @ x + self.tensor["lm_head.bias"]).astype(np.int64)
        size = self.config["state_fields"]
        return out[:size], out[size:].reshape(self.config["write_tokens"], -1)


def word(record, field):
    return sum(int(record[field + i]) << (8 * i) for i in range(4))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory")
    parser.add_argument("--fuel", type=int, default=20000)
    options = parser.parse_args()
    machine = Machine(options.directory)
    program = json.load(open(os.path.join(options.directory, "program.json")))
    for token in program["tokens"]:
        machine.append(token)
    field, mask = machine.config["fields"], (1 << 64) - 1
    state, steps, passes, digest, outcome = program["state"], 0, 0, 0x6A09E667F3BCC908, "out_of_fuel"
    while steps < options.fuel or state[field["micro"]]:
        after, writes = machine.forward(state)
        passes += 1
        for write in writes:
            if write[:machine.config["space_flags"]].any():
                machine.append(write)
        if after[field["counted"]]:
            steps += 1
            w0 = word(after, field["op"]) | word(state, field["ip"]) << 32
            w1 = word(after, field["arg"]) | word(after, field["sp"]) << 32
            x = (digest + w0 * 0x9E3779B97F4A7C15 + w1 * 0xC2B2AE3D27D4EB4F
                 + word(after, field["top"]) * 0x165667B19E3779F9) & mask
            digest = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93 & mask
        state = after
        if state[field["stopped"]] or state[field["host"]]:
            outcome = "host" if state[field["host"]] else "trapped" if state[field["cause"]] else "halted"
            break
    print(json.dumps({"outcome": outcome, "cause": int(state[field["cause"]]), "steps": steps, "passes": passes,
                      "top": word(state, field["top"]), "digest": f"{digest:016x}"}))


if __name__ == "__main__":
    main()
