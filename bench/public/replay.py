#!/usr/bin/env python3
"""replay.py LIBRARY FOLDER ...: repeats on txvm what record.cjs wrote, and compares everything.

Each folder holds the records of one package. Every result, every call of the host with its
arguments, and the SHA-256 of the whole memory after each call have to be equal, on every engine.
Prints a table with a row for each package; exit code 1 where something differs.
"""
import argparse
import base64
import hashlib
import json
import os
import struct
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Differs(Exception):
    """txvm does something else than the record says."""


class Ends(Exception):
    """What follows cannot be repeated; what came before was equal."""


def value_of(encoded, letter):
    """An encoded value as what the interface takes for a type."""
    if encoded is None:
        return 0 if letter in "il" else 0.0
    if "l" in encoded:
        number = int(encoded["l"])
    elif "d" in encoded:
        number = struct.unpack(">d", bytes.fromhex(encoded["d"]))[0]
    else:
        raise Ends("a value is no number")
    if letter in "fd":
        return float(number)
    if isinstance(number, float):
        number = int(number) if number == number and abs(number) != float("inf") else 0
    bits = 64 if letter == "l" else 32
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


def same(one, other, letter):
    """Whether two values are the same; one NaN is as good as another."""
    if letter == "f":
        return struct.pack("<f", one) == struct.pack("<f", other) or (one != one and other != other)
    if letter == "d":
        return struct.pack("<d", one) == struct.pack("<d", other) or (one != one and other != other)
    return one == other


class Replay:
    """One record on one engine."""

    def __init__(self, txvm, engine, path):
        with open(path[:-5] + ".json", encoding="utf-8") as file:
            self.record = json.load(file)
        self.txvm, self.waiting, self.error, self.calls = txvm, [], None, 0
        self.engine = txvm.Engine(engine)
        with open(path, "rb") as file:
            self.program = self.engine.link({}, file.read(), name="main", imports=self.made())
        self.linker = txvm.Linker(self.engine)
        for item in self.program.imports:
            if item.module != "txvm":
                self.define(item)
        self.instance = self.program.instance(self.linker, start=False)

    def made(self):
        """The memories, tables and globals that are imported."""
        imports = {}
        for name, item in self.record["imports"].items():
            if "memory" in item:
                imports[name] = f"memory:{int(item['memory'])}"
            elif "global" in item:
                imports[name] = str(value_of(item["global"], "i"))
        return imports

    def define(self, item):
        params, _, results = item.signature.partition(":")

        def answer(instance, *args):
            try:
                return self.host(instance, item, args, params, results)
            except (Differs, Ends) as error:
                self.error = self.error or error
                raise

        answer.takes_instance = True
        self.linker.define(item.module, item.name, item.signature, answer)

    def host(self, instance, item, args, params, results):
        if not self.waiting and self.record["ended"]:
            raise Ends(self.record["ended"])
        if not self.waiting:
            raise Differs(f"unexpected call of {item.module}.{item.name}")
        event = self.waiting.pop(0)
        if (event["module"], event["name"]) != (item.module, item.name):
            raise Differs(f"call of {item.name}, the record has {event['name']}")
        for letter, given, expected in zip(params, args, event["args"]):
            if not same(given, value_of(expected, letter), letter):
                raise Differs(f"{item.name} gets {args}")
        for call in event.get("calls", []):
            self.call(call, instance.call_back, instance)
        if "threw" in event:
            raise Ends("the host throws")
        self.apply(event, instance)
        if not results:
            return None
        return value_of(event["result"], results)

    def apply(self, event, instance):
        if "pages" in event and event["pages"] * 65536 > instance.memory_size:
            instance.grow(int(event["pages"]) - instance.memory_size // 65536)
        for offset, data in event.get("writes", []):
            instance.write(offset, base64.b64decode(data))

    def check_memory(self, instance, expected, what):
        if expected and hashlib.sha256(instance.read(0, instance.memory_size)).hexdigest() != expected:
            raise Differs(f"memory differs {what}")

    def call(self, event, run, instance):
        function = self.program.find(event["call"])
        params, _, results = function.signature.partition(":")
        outer, self.waiting = self.waiting, list(event.get("host", []))
        self.apply(event, instance)
        args = [value_of(value, letter) for value, letter in zip(event["args"], params)]
        try:
            given = run(function, *args)
        except (self.txvm.Stopped, self.txvm.CallerStopped) as error:
            if self.error is not None:
                raise self.error
            if "threw" in event:
                raise Ends("both trap: " + event["threw"][:40]) from None
            raise Differs(f"{event['call']}: {error}") from None
        if self.error is not None:
            raise self.error
        if "threw" in event:
            raise Differs(f"{event['call']} does not trap: {event['threw']}")
        if len(results) == 1 and not same(given, value_of(event["result"], results), results):
            raise Differs(f"{event['call']}{tuple(args)} gives {given}")
        if self.waiting:
            raise Differs(f"{event['call']}: calls of the host are missing")
        self.waiting = outer
        self.check_memory(instance, event.get("sha"), f"after {event['call']}, call {self.calls}")
        self.calls += 1

    def run(self):
        if self.record.get("before"):
            self.apply(self.record["before"], self.instance)
        self.instance.start()
        self.check_memory(self.instance, self.record.get("initial"), "at the start")
        for event in self.record["events"]:
            self.call(event, self.instance.call, self.instance)


def outcome(txvm, engine, path):
    """("equal", calls), or what else it came to."""
    replay = None
    try:
        replay = Replay(txvm, engine, path)
        replay.run()
        return "equal", replay.calls
    except Ends:
        return "equal", replay.calls
    except Differs as error:
        return f"DIFFERS: {error}", replay.calls
    except Exception as error:  # pylint: disable=broad-except
        return f"no: {str(error)[:100]}", 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--engines", default="attention,native,folded")
    options = parser.parse_args()
    os.environ["TXVM_LIBRARY"] = os.path.abspath(options.library)
    sys.path.insert(0, os.path.join(ROOT, "frontends", "python"))
    import txvm  # pylint: disable=import-outside-toplevel
    engines = options.engines.split(",")
    print("| package | modules | MB | calls | " + " | ".join(engines) + " |")
    print("|--|--:|--:|--:|" + "--|" * len(engines))
    wrong = 0
    for folder in options.folders:
        paths = sorted(os.path.join(folder, name) for name in os.listdir(folder)
                       if name.endswith(".wasm"))
        cells, calls = [], 0
        for engine in engines:
            ends = [outcome(txvm, engine, path) for path in paths]
            calls = max(calls, sum(end[1] for end in ends))
            others = sorted({end[0] for end in ends if end[0] != "equal"})
            cells.append("; ".join(others) if others else "equal" if ends else "no module")
        wrong += any("DIFFERS" in cell for cell in cells)
        size = sum(os.path.getsize(path) for path in paths) / 1e6
        name = os.path.basename(folder.rstrip("/")).replace("+", "/")
        print(f"| {name} | {len(paths)} | {size:.1f} | {calls} | " + " | ".join(cells) + " |",
              flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
