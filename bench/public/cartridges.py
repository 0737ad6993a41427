#!/usr/bin/env python3
"""Plays public WASM-4 cartridges on two engines and prints a table: are all frames equal, and what does one cost?

    git clone https://github.com/aduros/wasm4
    python3 bench/public/cartridges.py build-release/txvm wasm4/site/static/carts --frames 300

Keys and mouse are random, by one seed for both engines. Times are processor time. What is cut by --seconds is compared
as far as both engines came.
"""
import argparse
import pathlib
import re
import subprocess
import sys

LINE = re.compile(r"([\d,]+) frames in ([\d.]+) s of processor time, ([\d.]+) frames/s; ([\d,]+) steps, ([\d,]+) a frame")


def number(text):
    return int(text.replace(",", ""))


def play(txvm, cartridge, engine, options):
    """(hashes of the frames, steps a frame, frames a second, why it ended early or "")"""
    command = [txvm, "play", str(cartridge), "--engine", engine, "--frames", str(options.frames), "--keys", str(options.seed),
               "--hashes", "--stats", "--timeout", f"{options.seconds}s"]
    run = subprocess.run(command, capture_output=True, text=True, errors="replace")
    hashes = re.findall(r"^\d+ ([0-9a-f]{16})$", run.stdout, re.MULTILINE)
    found = LINE.search(run.stderr)
    notes = [line for line in run.stderr.splitlines() if line.startswith("txvm: ") and run.returncode != 0]
    why = "" if run.returncode == 0 else (notes[-1] if notes else f"exit code {run.returncode}")
    return hashes, number(found[5]) if found else 0, float(found[3]) if found else 0.0, why


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("txvm")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=100)
    parser.add_argument("--engines", default="attention,native")
    options = parser.parse_args()
    engines = options.engines.split(",")
    cartridges = sorted(options.folder.glob("*.wasm"))
    if not cartridges:
        sys.exit(f"{options.folder} has no .wasm files")
    print("| cartridge | steps a frame | " + " | ".join(f"{engine}, frames/s" for engine in engines) + " | frames equal |")
    print("|--|--" * 2 + "|--" * len(engines) + "|")
    differ = whole = 0
    for cartridge in cartridges:
        runs = [play(options.txvm, cartridge, engine, options) for engine in engines]
        common = min(len(run[0]) for run in runs)
        equal = all(run[0][:common] == runs[0][0][:common] for run in runs)
        ended = [run[3] for run in runs]
        differ += not equal
        whole += equal and common == options.frames
        verdict = f"{common}" if equal else "DIFFERENT"
        if equal and common < options.frames:
            verdict += " (time)" if all("timeout" in why or not why for why in ended) else f" ({max(ended, key=len)})"
        speeds = " | ".join(f"{run[2]:,.0f}" if run[2] >= 10 else f"{run[2]:.1f}" for run in runs)
        print(f"| {cartridge.stem} | {runs[0][1]:,} | {speeds} | {verdict} |", flush=True)
    print(f"\n{len(cartridges)} cartridges: {whole} equal over {options.frames} frames, {differ} different", flush=True)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
