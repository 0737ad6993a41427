"""Writes the .txa routines from their expressions: python3 compose.py [name ...]."""

import os
import sys

import dag
from dag import Node, search, wrap, infix
import f32, f64, conv, i64

sys.setrecursionlimit(100000)

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.dirname(HERE)
ISA = os.path.join(os.path.dirname(os.path.dirname(OUT)), "isa")


def list_routines():
    r = {}

    def put(name, cells, out, fn, text, traps=None):
        r[name] = (cells, out, fn, text, traps)

    near = "Rounds to nearest, ties to even. A NaN result is 0x7FC00000."
    dnear = "Rounds to nearest, ties to even. A NaN result is 0x7FF8000000000000."
    two = ["a", "b"]
    dtwo = ["al", "ah", "bl", "bh"]
    for t, m, cells, txt in (("f32", f32, two, near), ("f64", f64, dtwo, dnear)):
        n = 1 if t == "f32" else 2
        for o, what in (("add", "a + b"), ("sub", "a - b"), ("mul", "a * b"), ("div", "a / b")):
            put(t + "." + o, cells, n, getattr(m, o), what + ". " + txt)
        nan = txt[txt.index("A NaN"):]
        put(t + ".min", cells, n, lambda *a, m=m: m.minimum(*a, True), "The smaller of a and b; -0 is below +0; NaN when either is. " + nan)
        put(t + ".max", cells, n, lambda *a, m=m: m.minimum(*a, False), "The larger of a and b; -0 is below +0; NaN when either is. " + nan)
        for o in ("eq", "ne", "lt", "le"):
            put(t + "." + o, cells, 1, getattr(m, o), "1 when a %s b, else 0. A NaN is %s anything; -0 equals +0." % (
                {"eq": "=", "ne": "differs from", "lt": "<", "le": "<="}[o], {"eq": "not equal to", "ne": "different from", "lt": "not below", "le": "not below"}[o]))
        half = len(cells) // 2
        for o, base in (("gt", m.lt), ("ge", m.le)):
            put(t + "." + o, cells, 1, lambda *a, base=base, half=half: base(*(a[half:] + a[:half])),
                "1 when a %s b, else 0. A NaN is not above anything; -0 equals +0." % {"gt": ">", "ge": ">="}[o])
        one = cells[:half] if t == "f64" else ["a"]
        one = ["a"] if t == "f32" else ["l", "h"]
        put(t + ".sqrt", one, n, f32.sqrt_full if t == "f32" else lambda l, h: f64.sqrt(l, h), "The square root; -0 stays, other negative numbers give NaN. " + txt)
        for o, what in (("ceil", "Rounds up to an integer"), ("floor", "Rounds down to an integer"),
                        ("trunc", "Rounds towards 0 to an integer"), ("nearest", "Rounds to the nearest integer, ties to even")):
            put(t + "." + o, one, n, getattr(m, o), what + "; the sign stays, on 0 too. " + nan)
    put("f32.demote_f64", ["l", "h"], 1, lambda l, h: conv.demote(l, h), "The f32 nearest to an f64. " + near)
    put("f64.promote_f32", ["a"], 2, conv.promote, "The f64 equal to an f32. A NaN result is 0x7FF8000000000000.")
    for f in ("f32", "f64"):
        for i, cells in (("i32", ["x"]), ("i64", ["l", "h"])):
            for s in "su":
                put("%s.convert_%s_%s" % (f, i, s), cells, 1 if f == "f32" else 2, getattr(conv, "%s_convert_%s_%s" % (f, i, s)),
                    "The %s nearest to %s %s; ties to even." % (f, "a signed" if s == "s" else "an unsigned", i))
    for i in ("i32", "i64"):
        for f, cells in (("f32", ["a"]), ("f64", ["l", "h"])):
            for s in "su":
                fn = getattr(conv, "%s_trunc_%s_%s" % (i, f, s))
                n = 1 if i == "i32" else 2
                kind = "signed" if s == "s" else "unsigned"
                put("%s.trunc_%s_%s" % (i, f, s), cells, n, lambda *a, fn=fn: fn(*a)[0],
                    "Cuts the fraction off; a %s %s. NaN traps invalid conversion to integer, a value out of range integer overflow." % (kind, i),
                    lambda *a, fn=fn: fn(*a)[1])
                put("%s.trunc_sat_%s_%s" % (i, f, s), cells, n, lambda *a, fn=fn: fn(*a, sat=True)[0],
                    "Cuts the fraction off; a %s %s. NaN gives 0, a value out of range the nearest end of it." % (kind, i))
    q = ["l", "h", "n", "unused"]
    put("i64.mul", dtwo, 2, i64.mul, "a * b modulo 2^64.")
    for o, what in (("shl", "Shifts left"), ("shr_s", "Shifts right, sign filled,"), ("shr_u", "Shifts right, zero filled,"), ("rotl", "Rotates left"), ("rotr", "Rotates right")):
        put("i64." + o, q, 2, getattr(i64, o), what + " by n modulo 64.")
    put("i64.clz", ["l", "h"], 2, i64.clz, "Leading zero bits; 64 of 0.")
    put("i64.ctz", ["l", "h"], 2, i64.ctz, "Trailing zero bits; 64 of 0.")
    put("i64.popcnt", ["l", "h"], 2, i64.popcnt, "One bits.")
    return r


def compose(name, spec, rounds):
    cells, out, fn, text, traps = spec
    Node.table = {}
    dag.ARG_NAMES[:] = cells
    args = [Node("arg", (), i) for i in range(len(cells))]
    roots = [wrap(x) for x in fn(*args)]
    tests = [(t, "conversion") for t in (traps(*args) if traps else [])]
    code = search(len(cells), roots, tests, rounds)
    return render(name, spec, roots, tests, code)


def render(name, spec, roots, tests, code):
    cells, out, fn, text, traps = spec
    # steps: CALL + code + RETURN
    steps = sum(1 for _ in code) + 2
    last = {}
    for k, i in enumerate(code):
        if i[0] == "GET":
            last[i[1]] = k
    inner = [k for k, i in enumerate(code) if i[0] == "TRAP_IF"]
    if inner:  # the trap's arm reads the argument again
        for c in range(len(cells)):
            key = ("arg", c)
            last[key] = max(last.get(key, -1), inner[0])
    slots, free, owner = {}, [], {}
    used = 0
    auto = 0
    names = {}
    order = []
    lines = []

    def label(key):
        nonlocal auto
        if isinstance(key, tuple):
            return cells[key[1]]
        return key.name

    # names for what is kept
    taken = set()
    for i in code:
        if i[0] in ("TEE", "SET") and not isinstance(i[1], tuple):
            n = i[1]
            if n.name is None or n.name in taken:
                base = n.name or "t"
                k = 1
                while "%s%d" % (base, k) in taken:
                    k += 1
                n.name = "%s%d" % (base, k)
            taken.add(n.name)
    shown = []
    seen = set()
    for k, i in enumerate(code):
        m, operand, node = i
        note = ""
        if m in ("SET", "TEE", "GET"):
            key = operand
            if m != "GET" and key not in slots:
                if free:
                    slots[key] = free.pop()
                else:
                    slots[key] = used
                    used += 1
            s = slots[key]
            lines.append("  %-12s%s" % ("LOCAL." + m, s))
            note = label(key)
            if m == "TEE" and not isinstance(key, tuple):
                note = "= " + note
            lines[-1] = "%-26s; %s" % (lines[-1], note)
            if m == "GET" and last.get(key) == k:
                free.append(s)
        elif m == "PUSH":
            v = operand
            text_v = str(v) if v < 1024 else (str(v - (1 << 32)) if v >= 0xFFFFFF00 else "0x%X" % v)
            lines.append("  %-12s%s" % (m, text_v))
        elif m == "TRAP_IF":
            lines.append("  if")
            if len(cells) == 1:
                lines += ["    LOCAL.GET   %d" % slots[("arg", 0)], "    PUSH        0x7FFFFFFF", "    AND", "    PUSH        0x7F800000", "    GT_U"]
            else:
                lines += ["    LOCAL.GET   %d" % slots[("arg", 1)], "    PUSH        0x7FFFFFFF", "    AND",
                          "    LOCAL.GET   %d" % slots[("arg", 0)], "    EQZ", "    EQZ", "    OR", "    PUSH        0x7FF00000", "    GT_U"]
            lines += ["    if", "      TRAP InvalidConversion", "    end", "    TRAP IntegerOverflow", "  end"]
        else:
            lines.append("  " + m)
            if node is not None and node.name and m not in ("DUP", "OVER") and (k + 1 >= len(code) or code[k + 1][0] not in ("TEE", "SET")):
                lines[-1] = "%-26s; = %s" % (lines[-1], node.name)
    # definitions, in the order of first computation
    def visit(n):
        if n in seen:
            return
        seen.add(n)
        for a in n.args:
            visit(a)
        if n.name:
            shown.append(n)
    for t, _ in tests:
        visit(t)
    for r in roots:
        visit(r)
    head = ["; %s: %s" % (name, wrap_text(text))]
    head.append("; Cells in: %s. Cells out: %d%s." % (", ".join(cells), out, ", low first" if out == 2 else ""))
    head.append("; Steps: %d, CALL and RETURN included, whatever the operands%s." % (steps, " (a trap ends it earlier)" if tests else ""))
    head.append(";")
    for n in shown:
        head.append(";   %s = %s" % (n.name, infix(n)))
    for t, _ in tests:
        head.append(";   trap when %s" % infix(t))
    res = ["low", "high"] if out == 2 else ["result"]
    for label_, r in zip(res, roots):
        head.append(";   %s: %s" % (label_, r.name if r.name else infix(r)))
    body = [".func %s params=%d results=%d locals=%d" % (name, len(cells), out, used)]
    return "\n".join(head + body + lines + [".end", ""]), steps


def wrap_text(text, width=110):
    words, lines, line = text.split(), [], ""
    for w in words:
        if len(line) + len(w) > width:
            lines.append(line)
            line = ""
        line = (line + " " + w).strip()
    lines.append(line)
    return "\n; ".join(lines)


def write_table(table):
    """isa/routines.def: the rows in the order of list_routines, the steps from the heads of the files."""
    rows = []
    for name, (cells, out, fn, text, traps) in table.items():
        with open(os.path.join(OUT, name + ".txa")) as f:
            head = f.read()
        steps = int(head[head.index("; Steps: ") + 9:].split(",")[0])
        camel = "".join(w[0].upper() + w[1:] for w in name.replace(".", "_").split("_"))
        rows.append((camel + ",", '"%s",' % name, "%d, %d, %4d, %s" % (len(cells), out, steps, "true" if traps else "false")))
    with open(os.path.join(ISA, "routines.def"), "w") as f:
        f.write("// The routines: the operations of WebAssembly that are programs here. Each row here has a file, text.txa.\n"
                "//\n"
                "//   Name, text  the enumerator and the instruction it stands for\n"
                "//   in, out     cells of its operands and of its results\n"
                "//   steps       of a call that does not trap, CALL and RETURN included: the same for all operands\n"
                "//   traps       whether some operands trap\n"
                "//\n"
                "// TXVM_ROUTINE(Name, text, in, out, steps, traps)\n"
                "// clang-format off\n")
        for a, b, c in rows:
            f.write("TXVM_ROUTINE(%-17s %-23s %s)\n" % (a, b, c))
        f.write("// clang-format on\n"
                "\n"
                "// Those on vectors have a table of their own, and no files. Who treats them in another way defines\n"
                "// TXVM_VECTOR_ROUTINE.\n"
                "#ifndef TXVM_VECTOR_ROUTINE\n"
                "#define TXVM_VECTOR_ROUTINE(Name, text, in, out, steps, operation, bits, sign) \\\n"
                "  TXVM_ROUTINE(Name, text, in, out, steps, false)\n"
                "#endif\n"
                "#include \"isa/vector_routines.def\"\n"
                "#undef TXVM_VECTOR_ROUTINE\n")


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("-")]
    rounds = 300
    for a in sys.argv[1:]:
        if a.startswith("--rounds="):
            rounds = int(a[9:])
    table = list_routines()
    for name, spec in table.items():
        if names and name not in names and not any(n.endswith("*") and name.startswith(n[:-1]) for n in names):
            continue
        text, steps = compose(name, spec, rounds)
        with open(os.path.join(OUT, name + ".txa"), "w") as f:
            f.write(text)
        print("%-22s %4d" % (name, steps), flush=True)
    write_table(table)


if __name__ == "__main__":
    main()
