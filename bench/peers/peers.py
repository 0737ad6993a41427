#!/usr/bin/env python3
"""How fast the engines of txvm are beside wasm3, wasmtime and node, in one command:

    python3 bench/peers/peers.py --library build-release/frontends/capi/libtxvm_core.so [--wasm3 CHECKOUT]
        [--times 9] [--only NAME]

Programs: the eight workloads and three float programs of bench/programs, and kernels.c. Each is run N times in one
process after two runs to warm up; the median of processor time counts. Printed are speeds relative to the engine
`native`, and geometric means. What is missing is named and left out: wasmtime is its Python package (pip install
wasmtime), wasm3 a checkout of github.com/wasm3/wasm3, node and wat2wasm are looked for on PATH.
"""
import argparse
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WARM = 2
# Name, program, arguments of run, group.
PROGRAMS = [
    ("sum", "sum.wat", (100000, 10), "workloads"), ("fib", "fib.wat", (100000, 10), "workloads"),
    ("fnv1a", "fnv1a.wat", (65536, 10), "workloads"), ("bsort", "bsort.wat", (400, 6), "workloads"),
    ("sieve", "sieve.wat", (1000000, 1), "workloads"), ("collatz", "collatz.wat", (10000, 2), "workloads"),
    ("fibrec", "fibrec.wat", (27, 2), "workloads"), ("matmul", "matmul.wat", (48, 8), "workloads"),
    ("nbody", "nbody.wat", (200, 1), "floats"), ("spectral", "spectral_norm.wat", (20, 1), "floats"),
    ("mandelbrot", "mandelbrot.wat", (32, 1), "floats"),
    ("queens", "kernels.c", (0, 20), "C"), ("sha256", "kernels.c", (1, 500), "C"),
    ("distance", "kernels.c", (2, 20), "C"),
]


class Missing(Exception):
    """A peer that is not here, and why."""


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(f"{os.path.basename(command[0])}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def pairs(text):
    rows = [line.split() for line in text.splitlines()]
    return int(rows[-1][0]), statistics.median(float(row[1]) for row in rows[WARM:])


class Txvm:
    """An engine of txvm, through the Python module."""

    def __init__(self, engine, options):
        self.options = options
        sys.path.insert(0, os.path.join(ROOT, "frontends/python"))
        if options.library:
            os.environ["TXVM_LIBRARY"] = os.path.abspath(options.library)
        import txvm
        self.engine = txvm.Engine(engine)

    def measure(self, wasm, args, times):
        with open(wasm, "rb") as file:
            instance = self.engine.load(file.read(), name=wasm).instance()
        taken = []
        for _ in range(times + WARM):
            start = time.process_time_ns()
            result = instance.call("run", *args)
            taken.append(time.process_time_ns() - start)
        return result % 2**32, statistics.median(taken[WARM:])


class Wasmtime:
    """wasmtime; `careful` with fuel and epochs, which it needs to stop where txvm can."""

    def __init__(self, careful, options):
        del options
        try:
            import wasmtime
        except ImportError:
            raise Missing("wasmtime: no Python package (pip install wasmtime)") from None
        self.wasmtime, self.careful = wasmtime, careful
        config = wasmtime.Config()
        if careful:
            config.consume_fuel = True
            config.epoch_interruption = True
        self.engine = wasmtime.Engine(config)

    def measure(self, wasm, args, times):
        store = self.wasmtime.Store(self.engine)
        if self.careful:
            store.set_fuel(2**62)
            store.set_epoch_deadline(2**40)
        instance = self.wasmtime.Instance(store, self.wasmtime.Module.from_file(self.engine, wasm), [])
        function = instance.exports(store)["run"]
        taken = []
        for _ in range(times + WARM):
            start = time.process_time_ns()
            result = function(store, *args)
            taken.append(time.process_time_ns() - start)
        return result % 2**32, statistics.median(taken[WARM:])


class Wasm3:
    def __init__(self, options):
        if not options.wasm3:
            raise Missing("wasm3: name a checkout with --wasm3")
        source = os.path.join(options.wasm3, "source")
        if not os.path.isdir(source):
            raise Missing(f"wasm3: {source} is not there")
        self.program = os.path.join(options.work, "wasm3_peer")
        files = [os.path.join(source, name) for name in sorted(os.listdir(source)) if name.endswith(".c")]
        run(["cc", "-O3", "-w", "-I", source, os.path.join(HERE, "wasm3_peer.c"), *files, "-lm", "-o", self.program])

    def measure(self, wasm, args, times):
        return pairs(run([self.program, wasm, "run", str(times + WARM), *map(str, args)]))


class Node:
    def __init__(self, flags, options):
        del options
        self.program, self.flags = shutil.which("node"), flags
        if not self.program:
            raise Missing("node: not on PATH")

    def measure(self, wasm, args, times):
        script = os.path.join(HERE, "node_peer.js")
        return pairs(run([self.program, *self.flags, script, wasm, "run", str(times + WARM), *map(str, args)]))


PEERS = [
    ("attention", lambda o: Txvm("attention", o)), ("native", lambda o: Txvm("native", o)),
    ("folded", lambda o: Txvm("folded", o)), ("wasm3", Wasm3),
    ("wasmtime", lambda o: Wasmtime(False, o)), ("wasmtime+fuel", lambda o: Wasmtime(True, o)),
    ("liftoff", lambda o: Node(["--liftoff-only"], o)), ("turbofan", lambda o: Node(["--no-liftoff"], o)),
]


def module_of(name, options):
    """The binary module of a program."""
    wasm = os.path.join(options.work, name + ".wasm")
    if os.path.exists(wasm):
        return wasm
    if name.endswith(".wat"):
        if not shutil.which("wat2wasm"):
            raise Missing("wat2wasm: not on PATH (Debian: wabt)")
        run(["wat2wasm", os.path.join(ROOT, "bench/programs", name), "-o", wasm])
    else:
        if not shutil.which("clang"):
            raise Missing("clang: not on PATH, so no C programs")
        run(["clang", "--target=wasm32", "-mcpu=mvp", "-O2", "-nostdlib", "-Wl,--no-entry",
             os.path.join(HERE, name), "-o", wasm])
    return wasm


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", help="libtxvm_core.so (default: where the Python module looks)")
    parser.add_argument("--wasm3", help="a checkout of wasm3")
    parser.add_argument("--times", type=int, default=9, help="runs that the median is of")
    parser.add_argument("--only", help="one program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        options.work = work
        return compare(options)


def compare(options):
    peers, missing = [], []
    for name, make in PEERS:
        try:
            peers.append((name, make(options)))
        except (Missing, OSError) as error:
            missing.append(f"{name}: {error}")
    names = [name for name, _ in peers]
    if "native" not in names:
        print("\n".join(missing))
        return 1
    print("Speed, native = 1; processor time, medians of", options.times)
    print("| program | " + " | ".join(names) + " |\n|--|" + "--:|" * len(names))
    speeds = {}
    for title, file, args, group in PROGRAMS:
        if options.only and options.only != title:
            continue
        try:
            wasm = module_of(file, options)
        except Missing as error:
            missing.append(str(error))
            continue
        times, results = {}, {}
        for name, peer in peers:
            try:
                results[name], times[name] = peer.measure(wasm, args, options.times)
            except Missing as error:
                missing.append(f"{title}: {error}")
        if len(set(results.values())) != 1:
            print(f"{title}: the results differ: {results}")
            return 1
        row = {name: times["native"] / times[name] for name in names if name in times}
        speeds.setdefault(group, []).append(row)
        print(f"| {title} | " + " | ".join(f"{row[name]:.2f}" if name in row else "-" for name in names) + " |",
              flush=True)
    for group, rows in speeds.items():
        means = [math.exp(statistics.fmean(math.log(row[name]) for row in rows))
                 if all(name in row for row in rows) else None for name in names]
        print(f"| mean of {group} | " + " | ".join(f"**{m:.2f}**" if m else "-" for m in means) + " |")
    print("\n".join(f"missing: {line}" for line in missing))
    return 0


if __name__ == "__main__":
    sys.exit(main())
