#!/usr/bin/env python3
"""Runs public programs on txvm and compares them: docs/PROGRAMS.md says how and what came out.

Usage: public_programs.py --txvm PATH --sources DIR --work DIR [--wasmtime PYTHON] [NAME...]

DIR of --sources has one folder for each program, with the sources as their makers publish them.
PYTHON is an interpreter that has the package wasmtime. A program without a folder, or whose
compiler is missing, is left out and named at the end. The exit code is the number of differences.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ENGINES = ("attention", "native", "folded")
SECONDS = 900
WASI_FLAGS = ["-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_PROCESS_CLOCKS", "-D_WASI_EMULATED_GETPID",
              "-D_WASI_EMULATED_MMAN", f"-I{HERE}/wasi", "-include", "missing.h"]
WASI_LIBRARIES = ["-lm", "-lwasi-emulated-signal", "-lwasi-emulated-process-clocks",
                  "-lwasi-emulated-getpid", "-lwasi-emulated-mman"]
WASMTIME = """
import sys, time, wasmtime
wasm, out, stdin, *words = sys.argv[1:]
config = wasmtime.WasiConfig()
config.argv, config.stdin_file, config.stdout_file = words, stdin, out
config.preopen_dir(".", ".")
engine = wasmtime.Engine()
module = wasmtime.Module.from_file(engine, wasm)
linker = wasmtime.Linker(engine)
linker.define_wasi()
store = wasmtime.Store(engine)
store.set_wasi(config)
start = linker.instantiate(store, module).exports(store)["_start"]
begin, code = time.time(), 0
try:
    start(store)
except wasmtime.ExitTrap as end:
    code = end.code
print(time.time() - begin, code)
"""


@dataclasses.dataclass
class Program:
    """What is built once, from `sources` in the folder `name`, and run once for each of `runs`."""
    name: str
    version: str
    sources: list
    runs: list  # (words, name of the file on standard input, or empty)
    flags: list = dataclasses.field(default_factory=list)
    native_flags: list = dataclasses.field(default_factory=list)
    has_native: bool = True  # gcc's program prints the same; else wasmtime's alone is the measure
    bundled: bool = False  # by `txvm compile` with txvm's library, else with wasi-libc
    keep: str = ""  # compare only the lines with this text
    skip: tuple = ()  # and without these, which tell times, random numbers and the size of the stack
    files: list = dataclasses.field(default_factory=list)  # copied into the working folder


def programs(tree):
    """Every program. `tree`: txvm's own source tree, whose files are inputs."""
    lua = ["lapi", "lauxlib", "lbaselib", "lcode", "lcorolib", "lctype", "ldblib", "ldebug", "ldo", "ldump",
           "lfunc", "lgc", "linit", "liolib", "llex", "lmathlib", "lmem", "loadlib", "lobject", "lopcodes",
           "loslib", "lparser", "lstate", "lstring", "lstrlib", "ltable", "ltablib", "ltm", "lundump",
           "lutf8lib", "lvm", "lzio"]
    tests = ["bitwise", "closure", "constructs", "coroutine", "cstack", "errors", "events", "goto", "literals",
             "locals", "nextvar", "pm", "sort", "strings", "tpack", "utf8", "vararg"]
    short = ["-e", "_soft=true; _port=true"]  # the tests' own options for small machines
    zlib = ["adler32", "compress", "crc32", "deflate", "gzclose", "gzlib", "gzread", "gzwrite", "infback",
            "inffast", "inflate", "inftrees", "trees", "uncompr", "zutil"]
    bzip2 = ["blocksort", "bzlib", "compress", "crctable", "decompress", "huffman", "randtable"]
    miniz = ["miniz", "miniz_tdef", "miniz_tinfl", "miniz_zip"]
    return [
        Program("lua", "5.4.4", ["src/lua.c"] + [f"src/{file}.c" for file in lua],
                [(["samples.lua"], "")] + [([*short, f"{test}.lua"], "") for test in tests],
                bundled=True, skip=("random seeds", "msec.", "after", "short-circuit", "short 2"),
                files=[HERE / "samples.lua"] + [f"tests/{test}.lua" for test in tests]),
        Program("bzip2", "1.0.8", [f"{file}.c" for file in bzip2] + ["bzip2.c"],
                [(["-kc", "GUIDE.md"], ""), (["-c"], "GUIDE.md"), (["-dc"], "GUIDE.md.bz2"),
                 (["-tvv"], "GUIDE.md.bz2")],
                files=[tree / "docs/GUIDE.md"]),
        Program("zlib", "1.2.13", [f"{file}.c" for file in zlib] + ["test/minigzip.c"],
                [(["-c"], "GUIDE.md"), (["-9", "-c"], "GUIDE.md"), (["-d", "-c"], "GUIDE.md.gz")],
                flags=["-DHAVE_UNISTD_H"], files=[tree / "docs/GUIDE.md"]),
        Program("lz4", "1.9.4", ["lib/lz4.c", "lib/lz4frame.c", "lib/lz4hc.c", "lib/xxhash.c",
                                 "examples/frameCompress.c"],
                [(["GUIDE.md"], "")], flags=["-Ilib"], files=[tree / "docs/GUIDE.md"],
                has_native=False),  # it packs less where words have 64 bits
        Program("sqlite3", "3.40.1", ["sqlite3.c", "shell.c"], [([":memory:"], "samples.sql")],
                flags=["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-DSQLITE_OMIT_WAL",
                       "-DSQLITE_OMIT_POPEN", "-DSQLITE_NOHAVE_SYSTEM", "-DSQLITE_ENABLE_MATH_FUNCTIONS"],
                files=[HERE / "samples.sql"]),
        Program("brotli", "1.0.9", ["c/common/*.c", "c/enc/*.c", "c/dec/*.c", "c/tools/brotli.c"],
                [(["-c", "-q", "5"], "GUIDE.md"), (["-d", "-c"], "GUIDE.md.br")],
                flags=["-Ic/include"], files=[tree / "docs/GUIDE.md"]),
        Program("coremark", "1.01", ["core_*.c", "posix/core_portme.c"], [(["0", "0", "0x66", "20"], "")],
                flags=["-I.", "-Iposix", "-DPERFORMANCE_RUN=1", "-DITERATIONS=20", '-DFLAGS_STR="-O2"',
                       "-DMULTITHREAD=1"], keep="crc"),
        Program("duktape", "2.7.0", ["examples/eval/eval.c", "src-separate/*.c"],
                [(["function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } fib(15)"], ""),
                 (["try { null.x } catch (e) { String(e) + JSON.stringify({a: [1.5, 'x']}) }"], ""),
                 (["[3, 1, 2].sort().map(Math.sqrt).join() + /a+/.exec('baab') + new Date(0).toISOString()"],
                  "")], flags=["-Isrc-separate"], bundled=True),
        Program("fe", "master", ["src/fe.c"],
                [([f"{name}.fe"], "") for name in ("fib", "macros")], flags=["-DFE_STANDALONE"],
                bundled=True, files=[f"scripts/{name}.fe" for name in ("fib", "macros")]),
        Program("stb", "2.27", [HERE / "png_sum.c"], [(["view.png"], "")], flags=["-I."],
                files=[tree / "docs/view.png"]),
        Program("miniz", "3", [f"{file}.c" for file in miniz] + ["examples/example1.c"], [([], "")],
                flags=["-I.", f"-I{HERE}/include"]),
        Program("rust", "", [HERE / "words.rs"], [([], "GUIDE.md")], files=[tree / "docs/GUIDE.md"]),
        Program("go", "", [HERE / "words.go"], [([], "GUIDE.md")], files=[tree / "docs/GUIDE.md"]),
    ]


class Refused(Exception):
    """A program cannot be built or run; the text says why."""


def call(words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, timeout=SECONDS, check=False,
                          **options)


def build(words, folder):
    if shutil.which(str(words[0])) is None:
        raise Refused(f"no {words[0]} on PATH")
    done = call(words, cwd=folder)
    if done.returncode != 0:
        raise Refused("does not compile: " + done.stderr.decode(errors="replace").strip()[-300:])


def build_all(program, options):
    """The file for txvm, and the native program or None."""
    folder = options.sources / program.name
    base = options.work / program.name / "built"
    wasm, native = base.with_suffix(".wasm"), base.with_suffix(".native")
    if program.name == "rust":
        build([options.rustc, "-O", "--target", "wasm32-wasi", program.sources[0], "-o", wasm], HERE)
        return wasm, None
    if program.name == "go":
        os.environ.update(GOOS="wasip1", GOARCH="wasm")
        build(["go", "build", "-o", wasm, program.sources[0]], HERE)
        return wasm, None
    if not folder.is_dir():
        raise Refused(f"no folder {folder}")
    sources = []
    for source in program.sources:
        if isinstance(source, pathlib.Path):
            sources.append(source)
        else:
            sources += sorted(folder.glob(source))
    flags = ["-O2", "-w", *program.flags]
    if program.has_native:
        build(["gcc", *flags, "-ffp-contract=off", *program.native_flags, *sources, "-o", native, "-lm"],
              folder)
    if program.bundled:
        txp = base.with_suffix(".txp")
        more = [word for source in sources[1:] for word in ("--with", source)]
        own = [word for flag in program.flags for word in (flag[:2], flag[2:])]
        build([options.txvm, "compile", sources[0], *more, *own, "-o", txp], folder)
        return txp, native
    build(["clang", "--target=wasm32-wasi", *flags, *WASI_FLAGS, *sources, HERE / "wasi/missing.c", "-o",
           wasm, *WASI_LIBRARIES], folder)
    return wasm, native if program.has_native else None


def shown(program, output):
    def is_compared(line):
        return program.keep.encode() in line and not any(text.encode() in line for text in program.skip)
    return b"".join(line for line in output.splitlines(keepends=True) if is_compared(line))


def run_txvm(built, engine, words, stdin, options, work):
    with open(stdin, "rb") as source:
        done = call([options.txvm, "run", built, "--engine", engine, "--dir", ".", "--json", "--", *words],
                    stdin=source, cwd=work)
    output, _, last = done.stdout.rstrip(b"\n").rpartition(b"{\"outcome\"")
    result = json.loads(b"{\"outcome\"" + last)
    if result["outcome"] not in ("halted", "exited"):
        raise Refused(f"{engine}: {result['outcome']} {result['trap']}")
    return output, result


def run_wasmtime(built, words, stdin, options, work):
    done = call([options.wasmtime, "-c", WASMTIME, built, "out", stdin, *words], cwd=work)
    if done.returncode != 0:
        raise Refused("wasmtime: " + done.stderr.decode(errors="replace").strip()[-200:])
    seconds, code = done.stdout.split()
    return (work / "out").read_bytes(), float(seconds), int(code)


def run_native(native, words, stdin, work):
    begin = time.time()
    with open(stdin, "rb") as source:
        done = subprocess.run([native, *words], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=work, timeout=SECONDS, check=False)
    return done.stdout, time.time() - begin, done.returncode


def prepare(program, options):
    work = options.work / program.name
    work.mkdir(parents=True, exist_ok=True)
    for file in program.files:
        path = file if isinstance(file, pathlib.Path) else options.sources / program.name / file
        if path.exists():
            shutil.copy(path, work)
    return work


def compressed(work, stdin):
    """The name of `stdin`, which is made first where it is the packed form of a file."""
    for end, tool in ((".bz2", ["bzip2", "-kc"]), (".gz", ["gzip", "-c"]), (".br", None)):
        path = work / stdin
        if stdin.endswith(end) and not path.exists():
            plain = work / stdin.removesuffix(end)
            if tool is None:
                tool = [work / "built.native", "-c"]
            path.write_bytes(call([*tool, plain]).stdout)
    return stdin


def measure(program, options):
    """One row of the table."""
    work = prepare(program, options)
    built, native = build_all(program, options)
    steps, seconds, wasmtime_seconds, native_seconds = 0, dict.fromkeys(ENGINES, 0.0), None, None
    reasons = []
    for words, stdin in program.runs:
        words = [str(word) for word in words]
        stdin = compressed(work, stdin) if stdin else "/dev/null"
        stdin = str(work / stdin) if stdin != "/dev/null" else stdin
        expected = None
        if native is not None:
            out, took, code = run_native(native, words, stdin, work)
            expected, native_seconds = (shown(program, out), code), (native_seconds or 0) + took
        if options.wasmtime and built.suffix == ".wasm":
            out, took, code = run_wasmtime(built, [built.name, *words], stdin, options, work)
            wasmtime_seconds = (wasmtime_seconds or 0) + took
            found = (shown(program, out), code)
            if expected is not None and found != expected:
                reasons.append(f"wasmtime differs from native on {words}")
            expected = found
        counts = set()
        for engine in ENGINES:
            out, result = run_txvm(built, engine, words, stdin, options, work)
            seconds[engine] += result["seconds"]
            counts.add(result["steps"])
            if expected is None:
                expected = (shown(program, out), result["exit_code"] or 0)
            elif (shown(program, out), result["exit_code"] or 0) != expected:
                reasons.append(f"{engine} differs on {words}")
                (work / f"{engine}.differs").write_bytes(out)
                (work / "expected").write_bytes(expected[0])
        if len(counts) != 1:
            reasons.append(f"steps differ between engines on {words}")
        steps += max(counts)
    return steps, seconds, wasmtime_seconds, native_seconds, reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--txvm", type=pathlib.Path, required=True)
    parser.add_argument("--sources", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--wasmtime", default="")
    parser.add_argument("--rustc", default="rustc")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.txvm, options.sources, options.work = (
        options.txvm.resolve(), options.sources.resolve(), options.work.resolve())
    print("| program | version | runs | steps | attention | native | folded | wasmtime | gcc | result |")
    print("|--|--|--|--|--|--|--|--|--|--|")
    left_out, differences = [], 0
    for program in programs(HERE.parent.parent):
        if options.names and program.name not in options.names:
            continue
        try:
            steps, seconds, wasmtime, native, reasons = measure(program, options)
        except (Refused, subprocess.TimeoutExpired, json.JSONDecodeError) as reason:
            left_out.append(f"{program.name}: {reason}")
            continue
        differences += len(reasons)
        times = [f"{seconds[engine]:.2f} s" for engine in ENGINES]
        times += ["-" if took is None else f"{took:.3f} s" for took in (wasmtime, native)]
        print(f"| {program.name} | {program.version} | {len(program.runs)} | {steps:,} | {' | '.join(times)} "
              f"| {'; '.join(reasons) or 'equal'} |", flush=True)
    for line in left_out:
        print(f"left out: {line}", file=sys.stderr)
    return min(differences, 100)


if __name__ == "__main__":
    sys.exit(main())
