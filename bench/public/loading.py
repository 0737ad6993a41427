#!/usr/bin/env python3
"""loading.py LIBRARY MODULE.wasm ...: what opening large modules costs, as a table.

Each figure is the best of --runs runs in processes of their own: the processor time from the file
to an instance whose exports can be called, and the most memory of the process, both beyond what
they are for a module of 8 bytes. `txvm run`, wasm3 and node are measured where --txvm, --wasm3 and
--node name them. All of them lower or compile a function when it is first called.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

EMPTY = b"\0asm\1\0\0\0"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

LIBRARY = """
import json, resource, sys, time
import txvm
engine = txvm.Engine(sys.argv[2])
start = time.process_time()
program = engine.link({}, sys.argv[1], imports={})
linker = txvm.Linker(engine)
for f in program.imports:
    if f.module != "txvm":
        linker.define(f.module, f.name, f.signature, lambda *a: None)
program.instance(linker, start=False)
seconds = time.process_time() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""

NODE = """
const fs = require('fs'), bytes = fs.readFileSync(process.argv[2]);
const start = process.cpuUsage();
new WebAssembly.Module(bytes);
const used = process.cpuUsage(start), seconds = (used.user + used.system) / 1e6;
console.log(JSON.stringify([seconds, process.resourceUsage().maxRSS / 1024]));
"""


def child(command, environment=None):
    """Seconds and MiB that a child prints, or None where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.stderr.write(done.stderr[-300:] + "\n")
        return None
    return json.loads(done.stdout.splitlines()[-1])


def timed(command):
    """Seconds and MiB of a child that prints neither."""
    script = ("import json, resource, subprocess, sys;"
              "subprocess.run(sys.argv[1:], capture_output=True);"
              "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
              "print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))")
    return child([sys.executable, "-c", script] + command)


def measure(make, path, empty, runs):
    """Seconds and MiB of a module beyond those of the empty one."""
    def best(file):
        all_runs = [make(file) for _ in range(runs)]
        if any(run is None for run in all_runs):
            return None
        return [min(run[i] for run in all_runs) for i in range(2)]
    base, own = best(empty), best(path)
    if base is None or own is None:
        return None
    return max(own[0] - base[0], 1e-3), max(own[1] - base[1], 0)


def cell(measured, megabytes):
    if measured is None:
        return "no | "
    seconds, mib = measured
    return f"{megabytes / seconds:.0f} | {mib * 1.048576 / megabytes:.1f}x"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--txvm")
    parser.add_argument("--wasm3")
    parser.add_argument("--node")
    options = parser.parse_args()
    python = dict(os.environ, TXVM_LIBRARY=os.path.abspath(options.library),
                  PYTHONPATH=os.path.join(ROOT, "frontends", "python"))
    ways = {
        "txvm in Python": lambda f: child([sys.executable, "-c", LIBRARY, f, "attention"], python),
    }
    if options.txvm:
        ways["txvm run"] = lambda f: timed([options.txvm, "run", f, "--unknown-imports", "trap",
                                            "--invoke", "no such export"])
    if options.wasm3:
        ways["wasm3"] = lambda f: timed([options.wasm3, "--func", "no such export", f])
    if options.node:
        ways["node"] = lambda f: child([options.node, "-e", NODE, "-", f])
    print("| module | MB | " + " | ".join(f"{way}, MB/s | memory" for way in ways) + " |")
    print("|--|--:" + "|--:|--:" * len(ways) + "|")
    with tempfile.TemporaryDirectory() as folder:
        empty = os.path.join(folder, "empty.wasm")
        with open(empty, "wb") as file:
            file.write(EMPTY)
        for path in options.modules:
            megabytes = os.path.getsize(path) / 1e6
            cells = [cell(measure(make, path, empty, options.runs), megabytes)
                     for make in ways.values()]
            print(f"| {os.path.basename(path)} | {megabytes:.1f} | " + " | ".join(cells) + " |",
                  flush=True)


if __name__ == "__main__":
    main()
