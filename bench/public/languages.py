#!/usr/bin/env python3
"""Runs the programs of bench/public/languages as WebAssembly by txvm and compares them with native runs.

    python3 bench/public/languages.py --txvm build-release/txvm --work /tmp/work \\
        --asc ~/as/node_modules/.bin/asc --zig "python3 -m ziglang" --rustc rustc --emcc em++

A language whose compiler is not named is left out. The measure is the same source built for this
machine (Rust, Zig, and g++ for Emscripten), and node with the module's own bindings for
AssemblyScript. Output, errors and exit code must be equal on the engines native, attention and
folded, which must take equal steps. Where the measure fails (a panic, an abort), txvm must trap or
exit too, with the same output, and the same errors up to the message. A program that differs from
the native run is compared with node's run of the same module, where it may be equal: then the
compilers differ. Prints a table of Markdown, then what differs.
"""

import argparse
import pathlib
import re
import shlex
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent / "languages"
ENGINES = ("native", "attention", "folded")
INPUT = "First line\nSecond LINE\n\nlast without an end"
MESSAGE = re.compile(r"panic|Assertion|abort|error: |^txvm: |: trap: |Error: ")
DRIVER = """import fs from 'fs';
import { instantiate } from './%s.js';
const module = await WebAssembly.compile(fs.readFileSync('%s.wasm'));
try {
  (await instantiate(module, {}))._start();
} catch (error) {
  console.error(String(error));
  process.exit(1);
}
"""
WASI_DRIVER = """import fs from 'fs';
import { WASI } from 'wasi';
const wasi = new WASI({ version: 'preview1', args: ['%s.wasm'], env: {} });
const module = await WebAssembly.compile(fs.readFileSync('%s.wasm'));
const env = { emscripten_notify_memory_growth() {} };
process.exit(wasi.start(await WebAssembly.instantiate(module, { ...wasi.getImportObject(), env })));
"""


def run(command, folder, seconds=120, text=""):
    done = subprocess.run(command, cwd=folder, input=text, capture_output=True, timeout=seconds, text=True)
    return done.returncode, done.stdout, done.stderr


def make(command, folder):
    code, out, errors = run(command, folder, seconds=600)
    if code != 0:
        raise RuntimeError((errors or out).strip().splitlines()[0])


def assembly_script(asc, name, folder):
    make([*asc, f"{name}.ts", "-O", "-o", f"{name}.wasm", "--bindings", "raw"], folder)
    (folder / f"{name}.mjs").write_text(DRIVER % (name, name))
    return ["node", f"{name}.mjs"]


def rust(rustc, name, folder):
    common = [*rustc, "-O", "--edition", "2021", f"{name}.rs"]
    make([*common, "-o", f"{name}.exe"], folder)
    make([*common, "-Cstrip=symbols", "--target", "wasm32-wasip1", "-o", f"{name}.wasm"], folder)
    return [f"./{name}.exe"]


def zig(zig, name, folder):
    common = [*zig, "build-exe", f"{name}.zig", "-O", "ReleaseSafe", "-fstrip"]
    make([*common, f"-femit-bin={name}.exe"], folder)
    make([*common, "-target", "wasm32-wasi", f"-femit-bin={name}.wasm"], folder)
    return [f"./{name}.exe"]


def emscripten(emcc, name, folder):
    make(["g++", "-std=c++17", "-O2", "-w", f"{name}.cpp", "-o", f"{name}.exe"], folder)
    make([*emcc, "-std=c++17", "-O2", "-w", "-sSTANDALONE_WASM", f"{name}.cpp", "-o", f"{name}.wasm"], folder)
    return [f"./{name}.exe"]


LANGUAGES = {
    "AssemblyScript": ("asc", "ts", "", assembly_script),
    "Rust": ("rustc", "rs", "", rust),
    "Zig": ("zig", "zig", 'const std = @import("std");\n', zig),
    "Emscripten": ("emcc", "cpp", "", emscripten),
}


def programs(ending):
    parts = re.split(r"^//// (\w+)\n", (FOLDER / f"programs.{ending}").read_text(), flags=re.MULTILINE)
    return zip(parts[1::2], parts[2::2])


def before_message(errors):
    """The lines of a program's own, up to the message of its end."""
    lines = []
    for line in errors.splitlines():
        if "nobody provides" in line:
            continue
        if MESSAGE.search(line):
            break
        lines.append(line)
    return lines


def judge(txvm, reference, name, folder):
    """Why the runs differ, or None; then whether they fail alike, and the steps."""
    code, out, errors = run(reference, folder, text=INPUT)
    fails = code < 0 or bool(MESSAGE.search(errors))
    steps = set()
    for engine in ENGINES:
        command = [str(txvm), "run", f"{name}.wasm", "--engine", engine, "--stats"]
        got, got_out, got_errors = run(command, folder, text=INPUT)
        steps |= set(re.findall(r"([\d,]+) steps", got_errors))
        body = "".join(line for line in got_errors.splitlines(True) if "nobody provides" not in line)
        if fails:
            is_alike = got != 0 and before_message(errors) == before_message(got_errors)
        else:
            is_alike = got == code and body.startswith(errors)
        if got_out != out or not is_alike:
            first = (got_errors.splitlines() or ["no errors"])[0][:150]
            return f"{engine}: exit code {got}, not {code}; {first}", fails, 0
    if len(steps) > 1:
        return f"steps differ: {', '.join(sorted(steps))}", fails, 0
    return None, fails, int((steps or {"0"}).pop().replace(",", ""))


def judge_twice(txvm, reference, name, folder):
    """judge, and whether only node's run is equal."""
    reason, fails, steps = judge(txvm, reference, name, folder)
    if not reason or reference[0] == "node":
        return reason, fails, steps, False
    (folder / f"{name}.wasi.mjs").write_text(WASI_DRIVER % (name, name))
    again = judge(txvm, ["node", "--no-warnings", f"{name}.wasi.mjs"], name, folder)
    return (reason, fails, steps, False) if again[0] else (*again, True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--txvm", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="programs of this name alone")
    for tool, *_ in LANGUAGES.values():
        parser.add_argument(f"--{tool}", type=shlex.split)
    options = parser.parse_args()
    print("| language | programs | equal | to node only | of them fail alike | steps | bytes |\n|--|--|--|--|--|--|--|")
    wrong = []
    for language, (tool, ending, prelude, build) in LANGUAGES.items():
        compiler = getattr(options, tool)
        if not compiler:
            print(f"{language}: left out, --{tool} names no compiler", file=sys.stderr)
            continue
        folder = (options.work / language).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        count = equal = to_node = failing = steps = size = 0
        for name, text in programs(ending):
            if options.only not in (None, name):
                continue
            count += 1
            (folder / f"{name}.{ending}").write_text(prelude + text)
            try:
                reference = build(compiler, name, folder)
                reason, fails, taken, is_nodes = judge_twice(options.txvm.resolve(), reference, name, folder)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                reason, fails, taken, is_nodes = str(error), False, 0, False
            if reason:
                wrong.append(f"{language} {name}: {reason}")
                print(wrong[-1], file=sys.stderr)
                continue
            equal += not is_nodes
            to_node += is_nodes
            failing += fails
            steps += taken
            size += (folder / f"{name}.wasm").stat().st_size
        print(f"| {language} | {count} | {equal} | {to_node} | {failing} | {steps:,} | {size:,} |", flush=True)
    if wrong:
        print("\n" + "\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
