#!/usr/bin/env python3
"""Checks the segments of a run on all machines of a Ray cluster.

    txvm run examples/fib.wat --invoke fib 35 --segments fib-run --every 5M
    python3 examples/cluster/check.py fib-run --engine hull

Every machine needs txvm in its PATH (or --txvm) and the folder under the same name. A task whose worker dies is given
to another one, so each segment is counted once. Exit codes are those of `txvm check`.
"""
import argparse
import json
import os
import subprocess
import sys
import time

try:
    import ray
except ImportError:
    sys.exit("skipped: Ray is not installed (pip install ray)")


def parse():
    parser = argparse.ArgumentParser(description="Check the segments of a run on a Ray cluster.")
    parser.add_argument("folder", help="what `txvm run --segments` made")
    parser.add_argument("--engine", default="native", help="engine that replays (default native)")
    parser.add_argument("--txvm", default="txvm", help="the program, where it is not in PATH")
    parser.add_argument("--share", type=int, default=1, metavar="N", help="segments a task checks (default 1)")
    parser.add_argument("--retries", type=int, default=5, metavar="N", help="of a task whose worker died (default 5)")
    parser.add_argument("--address", help="of the cluster; without it, Ray begins one on this machine")
    parser.add_argument("--workers", type=int, metavar="N", help="of the cluster that begins here (default: cores)")
    return parser.parse_args()


def check_share(txvm, folder, engine, first, last):
    """The answer of `txvm check` about segments first to last. Any other end than 0 and 8 is an error."""
    command = [txvm, "check", folder, "--engine", engine, "--only", f"{first}-{last}", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 8):
        raise RuntimeError(done.stderr.strip())
    return {"first": first, "last": last, "pid": os.getpid(), **json.loads(done.stdout)}


def main():
    options = parse()
    folder = os.path.abspath(options.folder)
    try:
        with open(os.path.join(folder, "segments.json"), encoding="utf-8") as manifest:
            count = len(json.load(manifest)["states"]) - 1
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"check.py: {folder} holds no segments: {error}", file=sys.stderr)
        return 3
    ray.init(address=options.address, num_cpus=None if options.address else options.workers, log_to_driver=False)
    task = ray.remote(max_retries=options.retries)(check_share)
    begun = time.monotonic()
    left = [task.remote(options.txvm, folder, options.engine, first, min(first + options.share, count) - 1)
            for first in range(0, count, options.share)]
    checked, steps, wrong, workers = [], 0, [], set()
    try:
        while left:
            done, left = ray.wait(left)
            answer = ray.get(done[0])
            checked.extend(range(answer["first"], answer["last"] + 1))
            steps += answer["steps"]
            wrong += answer["wrong"]
            workers.add(answer["pid"])
    except (RuntimeError, ray.exceptions.RayError) as error:
        print(f"check.py: {error}", file=sys.stderr)
        return 1
    assert sorted(checked) == list(range(count)), "a segment was lost or counted twice"
    for answer in sorted(wrong, key=lambda w: w["segment"]):
        print(f"segment {answer['segment']}: {answer['what']}")
    print(f"{count} segments, {steps:,} steps on {options.engine} by {len(workers)} workers: {len(wrong)} wrong")
    print(f"{time.monotonic() - begun:.1f} s", file=sys.stderr)
    return 8 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
