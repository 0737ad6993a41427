#!/usr/bin/env python3
"""Proves and verifies programs with the published Triton VM crate, before and after `txvm tir optimize`.

    tests/interop/triton/prove.py --txvm build-release/txvm --runner /tmp/triton/release/txvm-triton-runner

Each case is a WebAssembly program of tests/frontends/provable/programs and its argument. The crate traces both forms:
output and all nine heights must equal txvm's, and both proofs must verify. Prints a Markdown table; exit code 1 where
something differs. Cargo.toml says how to build the runner.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[2] / "frontends/provable/programs"
CASES = [("sum", 40), ("sum", 160), ("sum", 500), ("fib", 40), ("fib", 100), ("fib", 1000), ("fibrec", 10),
         ("fibrec", 12), ("collatz", 7), ("collatz", 20), ("bsort", 12), ("matmul", 3), ("sieve", 60), ("fnv1a", 40)]
MEMORY_WORDS = 256


def run(command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stderr.strip()}")
    return result.stdout


class Runner:
    """The crate, one request at a time."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def differences(own, crate):
    """What the two machines say differently of one run."""
    found = []
    if own["crash"] is not None or "output" not in crate:
        return [f"crash {own['crash']}, crate {crate}"]
    for name in ("output", "heights", "padded"):
        if own[name] != crate[name]:
            found.append(f"{name} {own[name]}, crate {crate[name]}")
    return found


def measure(txvm, runner, path, argument, repeats):
    """The crate's reply for the file, with the median proving time; and what differs from txvm."""
    own = json.loads(run([txvm, "tir", "profile", path, "--input", argument, "--json"]))
    replies = [runner.ask(tasm=path.read_text(), input=[str(argument)], prove=True) for _ in range(repeats)]
    found = differences(own, replies[0])
    for reply in replies:
        if not reply.get("proof", {}).get("accepted"):
            return replies[0], None, found + [f"no accepted proof: {reply.get('proof')}"]
    seconds = statistics.median(reply["proof"]["proving"] for reply in replies)
    return replies[0], seconds, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--txvm", required=True, help="the txvm program")
    parser.add_argument("--runner", required=True, help="the program that cargo built")
    parser.add_argument("--repeats", type=int, default=3, help="proofs of each form (default 3, median printed)")
    options = parser.parse_args()
    runner = Runner(options.runner)
    failures, crossings = [], 0
    print("| program | cycles | padded height | proving, s | ratio |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, argument in CASES:
            before, after = Path(folder) / "before.tasm", Path(folder) / "after.tasm"
            run([options.txvm, "compile", PROGRAMS / f"{name}.wat", "--target", "tasm", "--invoke", "run",
                 "--memory-words", MEMORY_WORDS, "--input", argument, "-o", before])
            run([options.txvm, "tir", "optimize", before, "--out", after])
            rows = [measure(options.txvm, runner, path, argument, options.repeats) for path in (before, after)]
            (old, old_seconds, old_found), (new, new_seconds, new_found) = rows
            found = old_found + new_found
            if old.get("output") != new.get("output"):
                found.append(f"output {old.get('output')} before, {new.get('output')} after")
            failures += [f"{name}({argument}): {text}" for text in found]
            if old_seconds is None or new_seconds is None:
                continue
            crossings += new["padded"] < old["padded"]
            print(f"| {name}({argument}) | {old['heights']['processor']} → {new['heights']['processor']} "
                  f"| {old['padded']} → {new['padded']} "
                  f"| {old_seconds:.2f} → {new_seconds:.2f} | {new_seconds / old_seconds:.2f} |", flush=True)
    print(f"\n{len(CASES)} programs, {crossings} cross a power of two, {len(failures)} differences")
    for text in failures:
        print(text, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
