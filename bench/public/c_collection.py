#!/usr/bin/env python3
"""Runs every C program of a collection by gcc and by txvm, and compares output and exit code.

    python3 bench/public/c_collection.py --txvm build-release/txvm --work /tmp/work ~/checkout ...

A program is a .c file with a main that gcc compiles and links by itself. Both run in a copy of the
file's folder and read the same input. A program that gcc's does not end in --seconds is left out,
as is one that gives two outputs in two runs (addresses, time). With --m32 a program that differs is
compared with gcc -m32 too, where long has 32 bits as in WebAssembly. Prints a table of Markdown: each checkout
with its counts, then each program that is not equal with the reason.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import time

INPUT = "5\n3\n1 2 3 4 5\nhello world\n7\n8\n2.5\ny\nn\n0\n" + "1\n" * 50
MAIN = re.compile(r"^\s*(?:extern\s+)?(?:int|void|signed)?\s*\bmain\s*\(", re.MULTILINE)
MOST_OUTPUT = 10_000_000


def run(command, folder, seconds, text=None, file=None):
    """The exit code, output and errors of a command; None where it takes too long."""
    try:
        done = subprocess.run(command, executable=file, cwd=folder, input=text, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    return done.returncode, done.stdout[:MOST_OUTPUT], done.stderr.decode(errors="replace")


def programs(checkout):
    for path in sorted(checkout.rglob("*.c")):
        is_source = path.is_file() and not path.is_symlink()
        if is_source and MAIN.search(path.read_text(errors="replace")):
            yield path


def reason_of(native, ours):
    """Why txvm's run is not gcc's, in a few words; "" where they are equal."""
    if ours is None:
        return "takes too long"
    code, out, err = ours
    expected = native[0]
    if expected < 0:  # gcc's program died by a signal: a trap is as good
        return "" if code not in (0, 1) else f"gcc's program dies by signal {-expected}, ours ends with {code}"
    if (code & 0xFF) == expected and out == native[1]:
        return ""
    last = next((line for line in err.splitlines() if "error:" in line or "trap:" in line), "")
    last = re.sub(r"^.*?(error:|trap:)", r"\1", last)
    if last:
        return last[:160]
    return f"exit code {code}, gcc's {expected}" if out == native[1] else "another output"


def build_and_run(path, copy, binary, options, extra):
    """What gcc's program does, twice; or why there is nothing to compare with."""
    built = run(["gcc", *extra, "-std=gnu17", "-O1", "-w", "-ffp-contract=off", path.name, "-o", str(binary), "-lm",
                 "-lpthread"], copy, 60)
    if built is None or built[0] != 0:
        return None, "gcc does not build it alone"
    # It gets the name that txvm's program has.
    once = run([path.name], copy, options.seconds, INPUT.encode(), str(binary))
    if "time(" in path.read_text(errors="replace"):
        time.sleep(1.1)
    again = run([path.name], copy, options.seconds, INPUT.encode(), str(binary))
    if once is None or again is None:
        return None, "gcc's program does not end in time"
    if once[:2] != again[:2]:
        return None, "two runs of gcc's program differ"
    return once, ""


def fresh_copy(path, copy):
    shutil.rmtree(copy, ignore_errors=True)
    ignored = shutil.ignore_patterns(".git", ".#*")
    shutil.copytree(path.parent, copy, ignore=ignored, ignore_dangling_symlinks=True)


def compare(path, checkout, options):
    relative = path.relative_to(checkout)
    binary = options.work / "bin" / re.sub(r"\W", "_", f"{checkout.name}/{relative}")
    copy = options.work / "run" / binary.name
    fresh_copy(path, copy)
    native, why = build_and_run(path, copy, binary, options, [])
    if native is None:
        shutil.rmtree(copy, ignore_errors=True)
        return relative, "skipped", why
    fresh_copy(path, copy)
    command = [str(options.txvm), "run", "--engine", options.engine, "--dir", ".", path.name]
    ours = run(command, copy, options.seconds * 10, INPUT.encode())
    reason = reason_of(native, ours)
    kind = "differs" if reason else "equal"
    if reason and options.m32:  # where long and pointers have 32 bits, as in WebAssembly
        fresh_copy(path, copy)
        native, why = build_and_run(path, copy, binary, options, ["-m32", "-msse2", "-mfpmath=sse"])
        if native is not None and not reason_of(native, ours):
            kind, reason = "equal32", ""
    shutil.rmtree(copy, ignore_errors=True)
    return relative, kind, reason


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("checkouts", nargs="+", type=pathlib.Path)
    parser.add_argument("--txvm", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default="folded")
    parser.add_argument("--seconds", type=float, default=5, help="that gcc's program may take")
    parser.add_argument("--m32", action="store_true", help="compare what differs with gcc -m32 too")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="part of the names to run")
    options = parser.parse_args()
    options.txvm, options.work = options.txvm.resolve(), options.work.resolve()
    (options.work / "bin").mkdir(parents=True, exist_ok=True)
    all_differ = []
    print("| collection | programs | equal | equal to gcc -m32 | differ | left out |\n|--|--|--|--|--|--|")
    for checkout in options.checkouts:
        found = [path for path in programs(checkout.resolve()) if options.only in str(path)]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda path: compare(path, checkout.resolve(), options), found))
        counts = collections.Counter(kind for _, kind, _ in results)
        compared = counts["equal"] + counts["equal32"] + counts["differs"]
        print(f"| {checkout.name} | {compared} | {counts['equal']} | {counts['equal32']} | {counts['differs']} | "
              f"{counts['skipped']} |", flush=True)
        all_differ += [(checkout.name, *row) for row in results if row[1] == "differs"]
    print("\n| program | reason |\n|--|--|")
    for name, relative, _, reason in all_differ:
        print(f"| {name}/{relative} | {reason} |")
    return 1 if all_differ else 0


if __name__ == "__main__":
    sys.exit(main())
