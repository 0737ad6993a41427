#!/usr/bin/env python3
"""Runs a tokenised program on model.onnx with a stock onnxruntime and nothing of txvm.

DIR holds config.json, model.onnx and program.json ("txvm weights export DIR --onnx --program FILE").
Every pass is one call of the graph; between two calls the fields are copied. Prints what run_txvm.py
prints.
"""
import argparse, json, os
import numpy as np
import onnxruntime


def word(record, field):
    return sum(int(record[field + i]) << (8 * i) for i in range(4))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory")
    parser.add_argument("--fuel", type=int, default=20000)
    options = parser.parse_args()
    config = json.load(open(os.path.join(options.directory, "config.json")))
    program = json.load(open(os.path.join(options.directory, "program.json")))
    session = onnxruntime.InferenceSession(os.path.join(options.directory, "model.onnx"),
                                           providers=["CPUExecutionProvider"])
    memory, state = list(program["tokens"]), program["state"]
    field, mask, fields = config["fields"], (1 << 64) - 1, config["state_fields"]
    steps, passes, digest, outcome = 0, 0, 0x6A09E667F3BCC908, "out_of_fuel"
    while steps < options.fuel or state[field["micro"]]:
        out = session.run(["out"], {"state": np.array([state], np.float32),
                                    "memory": np.array(memory, np.float32)})[0][0].astype(np.int64)
        after, writes = out[:fields], out[fields:].reshape(config["write_tokens"], -1)
        passes += 1
        memory += [list(write) for write in writes if write[:config["space_flags"]].any()]
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
