"""Checks a run on a Ray cluster of two workers, one of which is killed half-way: nothing is lost, nothing counted twice.

    killed_worker.py TXVM PROJECT      ends with 0; prints why it was skipped where Ray is not installed
"""
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

txvm, project = sys.argv[1:3]
if importlib.util.find_spec("ray") is None:
    print("skipped: Ray is not installed (pip install ray)")
    sys.exit(0)


def processes():
    """(pid, parent, title) of every process."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                parent = int(stat.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{name}/cmdline", encoding="utf-8", errors="replace") as line:
                yield int(name), parent, line.read()
        except OSError:
            pass


def worker_of(root):
    """A worker that checks a share now and descends from the process `root`."""
    table = {pid: (parent, title) for pid, parent, title in processes()}
    for pid, (parent, title) in table.items():
        if "ray::check_share" not in title:
            continue
        while parent in table and parent != root:
            parent = table[parent][0]
        if parent == root:
            return pid
    return None


with tempfile.TemporaryDirectory() as folder:
    run = os.path.join(folder, "run")
    subprocess.run([txvm, "run", os.path.join(project, "examples/fib.wat"), "--invoke", "fib", "26", "--segments", run,
                    "--every", "100k"], check=True)
    command = [sys.executable, os.path.join(project, "examples/cluster/check.py"), run, "--engine", "hull", "--txvm", txvm,
               "--workers", "2"]
    checker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    victim, deadline = None, time.monotonic() + 120
    while victim is None and checker.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
        victim = worker_of(checker.pid)
    assert victim is not None, "no worker was seen at work"
    os.kill(victim, signal.SIGKILL)
    printed, _ = checker.communicate(timeout=600)
    print(printed, end="")
    assert checker.returncode == 0, f"check.py ended with {checker.returncode}"
    # Ray prints there too.
    found = re.search(r"^(\d+) segments, ([\d,]+) steps on hull by \d+ workers: 0 wrong$", printed, re.MULTILINE)
    assert found, printed
    count, steps = found.groups()
    whole = subprocess.run([txvm, "check", run], check=True, capture_output=True, text=True).stdout
    assert f"{count} segments of {count} replayed on native: {steps} steps" in whole, whole

    # A damaged state is named on the cluster too.
    with open(os.path.join(run, "000003.txs"), "r+b") as state:
        state.truncate(100)
    damaged = subprocess.run(command, capture_output=True, text=True)
    assert damaged.returncode == 8 and "segment 3: " in damaged.stdout, damaged.stdout + damaged.stderr
    # A command for each file, in order, and a failure among them.
    files = [os.path.join(project, "examples", name) for name in ("sum.txa", "hello.wat", "dispatch.txa")]
    mapped = subprocess.run([sys.executable, os.path.join(project, "examples/cluster/map.py"), *files, "--txvm", txvm,
                             "--workers", "2", "--", "run", "{}", "--fuel", "150"], capture_output=True, text=True)
    answers = [json.loads(line) for line in mapped.stdout.splitlines() if line.startswith("{")]
    assert [answer["file"] for answer in answers] == files, mapped.stdout
    for answer, file in zip(answers, files):
        alone = subprocess.run([txvm, "run", file, "--fuel", "150"], capture_output=True, text=True)
        assert (answer["exit_code"], answer["out"]) == (alone.returncode, alone.stdout), answer
    assert mapped.returncode == 1, "a program that uses up its fuel is a failure"
print("one of two workers was killed: nothing was lost")
