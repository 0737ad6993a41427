#!/usr/bin/env python3
"""packages.py LIBRARY FOLDER: records public packages in node, then replays them on txvm.

FOLDER is one in which the packages of packages.cjs are installed by hand:
  npm install --ignore-scripts NAME ...
Records go to FOLDER/records; those that are there are used again. Prints replay.py's table.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def names():
    """The packages that there is something to do with."""
    script = "console.log(JSON.stringify(Object.keys(require(process.argv[1]).drivers)))"
    done = subprocess.run(["node", "-e", script, os.path.join(HERE, "packages.cjs")],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def record(name, root, folder):
    """Records a package; says why where that fails."""
    environment = dict(os.environ, RECORD_DIR=folder, RECORD_PACKAGE=name, RECORD_ROOT=root)
    try:
        done = subprocess.run(
            ["node", "-r", os.path.join(HERE, "record.cjs"), os.path.join(HERE, "packages.cjs")],
            capture_output=True, text=True, env=environment, timeout=300)
    except subprocess.TimeoutExpired:
        print(f"{name}: it takes too long", file=sys.stderr)
        return
    if done.returncode != 0:
        print(f"{name}: {done.stderr.strip()[:300]}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("folder")
    parser.add_argument("--only", nargs="*", help="packages instead of all")
    parser.add_argument("--engines", default="attention,native,folded")
    options = parser.parse_args()
    folders = []
    for name in options.only or names():
        if not os.path.isdir(os.path.join(options.folder, "node_modules", name)):
            continue
        folder = os.path.join(options.folder, "records", name.replace("/", "+"))
        if not os.path.isdir(folder):
            record(name, os.path.abspath(options.folder), folder)
        if os.path.isdir(folder) and os.listdir(folder):
            folders.append(folder)
    command = [sys.executable, os.path.join(HERE, "replay.py"), options.library, *folders,
               "--engines", options.engines]
    sys.exit(subprocess.run(command).returncode)


if __name__ == "__main__":
    main()
