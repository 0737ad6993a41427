#!/usr/bin/env python3
"""Runs every .wat file of a collection as a new user does, who copies what the first message says.

    python3 bench/public/wat_samples.py --txvm build-release/txvm ~/checkout ...

The first try is `txvm FILE`. Where it ends with a command line to copy, that is the next try, three
tries at most. Prints a table of Markdown: each checkout with how many files run at which try, end
with a trap of their own, or with one sentence; then the sentences.
"""

import argparse
import collections
import pathlib
import shlex
import subprocess
import sys

TRAP = 4
MOST_TRIES = 3


def attempt(txvm, words, folder, seconds):
    command = [str(txvm), *words, "--engine", "native", "--fuel", "200M"]
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return 1, "takes too long"
    return done.returncode, done.stderr.decode(errors="replace")


def suggested(errors):
    """The words of the first command line that the message shows."""
    for line in errors.splitlines():
        if line.startswith("  ") and "txvm " in line:
            words = shlex.split(line[line.index("txvm "):])[1:]
            return words[1:] if words[0] == "run" else words
    return None


def judge(txvm, path, folder, seconds):
    words = [str(path)]
    for number in range(1, MOST_TRIES + 1):
        code, errors = attempt(txvm, words, folder, seconds)
        if code == 0:
            return f"try {number}", ""
        if code == TRAP:
            return "traps", next(line for line in errors.splitlines() if "trap:" in line)
        next_words = suggested(errors)
        if next_words is None or next_words == words:
            break
        words = next_words
    lines = [line for line in errors.splitlines() if "error:" in line] or errors.splitlines() or [f"exit code {code}"]
    return "sentence", lines[0].replace(str(path), "FILE")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("checkouts", nargs="+", type=pathlib.Path)
    parser.add_argument("--txvm", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    txvm = options.txvm.resolve()
    columns = ["try 1", "try 2", "try 3", "traps", "sentence"]
    print("| collection | files | " + " | ".join(columns) + " |\n|--|--|" + "--|" * len(columns))
    told = []
    for checkout in options.checkouts:
        counts = collections.Counter()
        for path in sorted(checkout.resolve().rglob("*.wat")):
            relative = path.relative_to(checkout.resolve())
            kind, text = judge(txvm, relative, checkout.resolve(), options.seconds)
            counts[kind] += 1
            if text:
                told.append((f"{checkout.name}/{relative}", text))
        print(f"| {checkout.name} | {counts.total()} | " + " | ".join(str(counts[c]) for c in columns) + " |")
    print("\n| file | what txvm says |\n|--|--|")
    for name, text in told:
        print(f"| {name} | {text[:160]} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
