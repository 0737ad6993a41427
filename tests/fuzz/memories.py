#!/usr/bin/env python3
"""Random modules with several memories, 32-bit and 64-bit, as scripts whose expectations are wasmtime's.

    memories.py --seed S --cases N --out FOLDER     needs the Python package wasmtime
    txvm wast FOLDER --engine native

Each script calls its module with random addresses, at edges above all, and ends by reading every memory.
"""
import argparse
import pathlib
import random

import wasmtime

LOADS = [("i32.load", "i32", 4), ("i32.load8_s", "i32", 1), ("i32.load16_u", "i32", 2), ("i64.load", "i64", 8),
         ("i64.load32_s", "i64", 4), ("i64.load8_u", "i64", 1)]
STORES = [("i32.store", "i32", 4), ("i32.store8", "i32", 1), ("i64.store", "i64", 8), ("i64.store16", "i64", 2)]
FLOATS = [("f32.load", "f32.store", "i32.reinterpret_f32", "f32.reinterpret_i32", "i32", 4),
          ("f64.load", "f64.store", "i64.reinterpret_f64", "f64.reinterpret_i64", "i64", 8)]
PAGE = 65536


class Case:
    def __init__(self, rng):
        self.rng = rng
        self.memories = [self.memory() for _ in range(rng.randint(1, 4))]
        if len(self.memories) == 1:
            self.memories[0]["type"] = "i64"
        self.fields, self.functions = [], []
        for i, memory in enumerate(self.memories):
            most = "" if memory["most"] is None else f" {memory['most']}"
            self.fields.append(f"(memory $m{i} {memory['type']} {memory['least']}{most})")
        self.fields.append('(data $d "%s")' % "".join("\\%02x" % rng.randrange(256) for _ in range(64)))
        for i, memory in enumerate(self.memories):
            if memory["least"] and rng.random() < 0.5:
                at = rng.choice([0, 7, PAGE * memory["least"] - 4])
                self.fields.append(f'(data (memory $m{i}) ({memory["type"]}.const {at}) "\\01\\02\\fe\\ff")')
        for i in range(len(self.memories)):
            self.add_functions(i)

    def memory(self):
        rng = self.rng
        least = rng.randint(0, 2)
        return {"type": rng.choice(["i32", "i32", "i64"]), "least": least, "most": least + rng.randint(0, 3)}

    def offset(self):
        return self.rng.choice([0, 0, 1, 4, 8, 65535, 65536, 131072, 2**31, 2**32 - 1])

    def function(self, params, results, body):
        name = f"f{len(self.functions)}"
        declared = "".join(f" (param {p})" for p in params) + "".join(f" (result {r})" for r in results)
        self.fields.append(f'(func (export "{name}"){declared} {body})')
        self.functions.append((name, params, results))

    def add_functions(self, i):
        rng, address = self.rng, self.memories[i]["type"]
        m = f"$m{i}"
        for op, result, _ in rng.sample(LOADS, 3):
            self.function([address], [result], f"({op} {m} offset={self.offset()} (local.get 0))")
        for op, value, _ in rng.sample(STORES, 2):
            self.function([address, value], [], f"({op} {m} offset={self.offset()} (local.get 0) (local.get 1))")
        load, store, out, into, kind, _ = rng.choice(FLOATS)
        self.function([address], [kind], f"({out} ({load} {m} (local.get 0)))")
        self.function([address, kind], [], f"({store} {m} (local.get 0) ({into} (local.get 1)))")
        self.function([address], ["i64"],
                      f"(i64x2.extract_lane 1 (v128.load {m} offset={self.offset()} (local.get 0)))")
        self.function([address, "i64"], [], f"(v128.store {m} (local.get 0) (i64x2.splat (local.get 1)))")
        self.function([], [address], f"(memory.size {m})")
        self.function([address], [address], f"(memory.grow {m} (local.get 0))")
        self.function([address, "i32", address], [], f"(memory.fill {m} (local.get 0) (local.get 1) (local.get 2))")
        self.function([address, "i32", "i32"], [], f"(memory.init {m} $d (local.get 0) (local.get 1) (local.get 2))")
        j = rng.randrange(len(self.memories))
        other = self.memories[j]["type"]
        count = address if address == other else "i32"
        self.function([address, other, count], [],
                      f"(memory.copy {m} $m{j} (local.get 0) (local.get 1) (local.get 2))")
        at = "(local.get $at)"
        self.function([], ["i64"], f"""(local $at {address}) (local $sum i64)
  (block $done (loop $more
    (br_if $done ({address}.ge_u {at} ({address}.mul (memory.size {m}) ({address}.const {PAGE}))))
    (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 31)) (i64.load {m} {at})))
    (local.set $at ({address}.add {at} ({address}.const 8))) (br $more)))
  (local.get $sum)""")

    def text(self):
        return "(module\n " + "\n ".join(self.fields) + ")"

    def argument(self, kind):
        rng = self.rng
        value = rng.choice([0, 1, 7, PAGE - 8, PAGE - 4, PAGE - 1, PAGE, 2 * PAGE - 8, 2 * PAGE - 1, 2 * PAGE, 3 * PAGE,
                            rng.randrange(3 * PAGE), rng.randrange(64), 2**31, 2**32 - 1, 2**32 - 16])
        if kind == "i64" and rng.random() < 0.15:
            value = rng.choice([2**32, 2**32 + 5, 2**63, 2**64 - 1, rng.randrange(2**64)])
        return value % 2**(32 if kind == "i32" else 64)


def signed(value, bits):
    value %= 2**bits
    return value - 2**bits if value >= 2**(bits - 1) else value


def script(case, engine):
    text = case.text()
    store = wasmtime.Store(engine)
    instance = wasmtime.Instance(store, wasmtime.Module(engine, text), [])
    exports = instance.exports(store)
    lines = [text]
    calls = [case.rng.choice(case.functions) for _ in range(60)]
    for name, params, results in calls + [f for f in case.functions if not f[1]]:
        if (params, results) == ([], ["i64"]) and (name, params, results) in calls and case.rng.random() < 0.7:
            continue
        args = [case.argument(p) for p in params]
        shown = " ".join(f"({p}.const {a})" for p, a in zip(params, args))
        try:
            got = exports[name](store, *[signed(a, 32 if p == "i32" else 64) for p, a in zip(params, args)])
        except wasmtime.Trap as trap:
            assert trap.trap_code == wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS, trap
            lines.append(f'(assert_trap (invoke "{name}" {shown}) "out of bounds memory access")')
            continue
        expected = f" ({results[0]}.const {got})" if results else ""
        lines.append(f'(assert_return (invoke "{name}" {shown}){expected})')
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    config = wasmtime.Config()
    config.wasm_multi_memory = config.wasm_memory64 = True
    engine = wasmtime.Engine(config)
    options.out.mkdir(parents=True, exist_ok=True)
    for i in range(options.cases):
        case = Case(random.Random(options.seed + i))
        (options.out / f"case_{options.seed + i}.wast").write_text(script(case, engine))


if __name__ == "__main__":
    main()
