#!/usr/bin/env python3
"""Runs one txvm command for each file, on all machines of a Ray cluster.

    python3 examples/cluster/map.py programs/*.wat -- run {} --trace-digest
    python3 examples/cluster/map.py blocks/*.tir -- tir optimize {} -o {}.tasm

{} is the file. Prints one line of JSON for each, in the order of the files: file, exit code, output, errors. A command
whose worker dies is run again on another one. Ends with 0, or with 1 when a command did not.
"""
import argparse
import json
import os
import subprocess
import sys

try:
    import ray
except ImportError:
    sys.exit("skipped: Ray is not installed (pip install ray)")


def run_one(txvm, command, file):
    words = [word.replace("{}", file) for word in command]
    done = subprocess.run([txvm, *words], capture_output=True, text=True, errors="replace")
    return {"file": file, "exit_code": done.returncode, "out": done.stdout, "err": done.stderr}


def main():
    if "--" not in sys.argv:
        print("map.py: the command comes after --: map.py FILES -- run {}", file=sys.stderr)
        return 2
    at = sys.argv.index("--")
    parser = argparse.ArgumentParser(description="Run a txvm command for each file on a Ray cluster.")
    parser.add_argument("files", nargs="+", help="what {} stands for in the command")
    parser.add_argument("--txvm", default="txvm", help="the program, where it is not in PATH")
    parser.add_argument("--retries", type=int, default=5, metavar="N", help="of a task whose worker died (default 5)")
    parser.add_argument("--address", help="of the cluster; without it, Ray begins one on this machine")
    parser.add_argument("--workers", type=int, metavar="N", help="of the cluster that begins here (default: cores)")
    options, command = parser.parse_args(sys.argv[1:at]), sys.argv[at + 1:]
    ray.init(address=options.address, num_cpus=None if options.address else options.workers, log_to_driver=False)
    task = ray.remote(max_retries=options.retries)(run_one)
    answers = ray.get([task.remote(options.txvm, command, os.path.abspath(file)) for file in options.files])
    for answer in answers:
        print(json.dumps(answer))
    return 0 if all(answer["exit_code"] == 0 for answer in answers) else 1


if __name__ == "__main__":
    sys.exit(main())
