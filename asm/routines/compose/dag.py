"""Expressions over 32-bit cells, and the shortest stack code this search finds for them.

An expression is a graph: equal sub-expressions are one node. A node that is used once is computed where it
is used. A node that is used more often is computed at its first use, kept there with LOCAL.TEE and fetched
with LOCAL.GET, or with DUP and OVER where it is still near the top. The order of the operands of
commutative operations and comparisons is free; a hill climb over it shortens the code.
"""

import random

COMMUTES = {"ADD", "MUL", "AND", "OR", "XOR", "EQ", "NE"}
MIRROR = {"LT_S": "GT_S", "GT_S": "LT_S", "LT_U": "GT_U", "GT_U": "LT_U",
          "LE_S": "GE_S", "GE_S": "LE_S", "LE_U": "GE_U", "GE_U": "LE_U"}
OPPOSITE = {"EQ": "NE", "NE": "EQ", "LT_S": "GE_S", "GE_S": "LT_S", "GT_S": "LE_S", "LE_S": "GT_S",
            "LT_U": "GE_U", "GE_U": "LT_U", "GT_U": "LE_U", "LE_U": "GT_U"}
SIGNS = {"ADD": "+", "SUB": "-", "MUL": "*", "DIV_U": "/", "REM_U": "%", "DIV_S": "/s", "AND": "&", "OR": "|", "XOR": "^",
         "SHL": "<<", "SHR_U": ">>", "SHR_S": ">>s", "EQ": "==", "NE": "!=", "LT_U": "<", "GT_U": ">",
         "LE_U": "<=", "GE_U": ">=", "LT_S": "<s", "GT_S": ">s", "LE_S": "<=s", "GE_S": ">=s"}
M32 = 0xFFFFFFFF


class Node:
    table = {}
    __slots__ = ("op", "args", "value", "name", "id")

    def __new__(cls, op, args=(), value=None):
        key = (op, tuple(a.id for a in args), value)
        node = cls.table.get(key)
        if node is None:
            node = object.__new__(cls)
            node.op, node.args, node.value, node.name, node.id = op, tuple(args), value, None, len(cls.table)
            cls.table[key] = node
        return node

    def named(self, name):
        if self.name is None and self.op not in ("const", "arg"):
            self.name = name
        return self

    def __add__(a, b): return op("ADD", a, b)
    def __radd__(a, b): return op("ADD", b, a)
    def __sub__(a, b): return op("SUB", a, b)
    def __rsub__(a, b): return op("SUB", b, a)
    def __mul__(a, b): return op("MUL", a, b)
    def __rmul__(a, b): return op("MUL", b, a)
    def __and__(a, b): return op("AND", a, b)
    def __or__(a, b): return op("OR", a, b)
    def __xor__(a, b): return op("XOR", a, b)
    def __lshift__(a, b): return op("SHL", a, b)
    def __rlshift__(a, b): return op("SHL", b, a)
    def __rshift__(a, b): return op("SHR_U", a, b)
    def __rrshift__(a, b): return op("SHR_U", b, a)
    def __floordiv__(a, b): return op("DIV_U", a, b)
    def __rfloordiv__(a, b): return op("DIV_U", b, a)
    def __mod__(a, b): return op("REM_U", a, b)
    def __lt__(a, b): return op("LT_U", a, b)
    def __gt__(a, b): return op("GT_U", a, b)
    def __le__(a, b): return op("LE_U", a, b)
    def __ge__(a, b): return op("GE_U", a, b)
    def eq(a, b): return op("EQ", a, b)
    def ne(a, b): return op("NE", a, b)
    def lts(a, b): return op("LT_S", a, b)
    def gts(a, b): return op("GT_S", a, b)
    def les(a, b): return op("LE_S", a, b)
    def ges(a, b): return op("GE_S", a, b)
    def sar(a, b): return op("SHR_S", a, b)
    def neg(a): return op("NEG", a)
    def rotl(a, b): return op("ROTL", a, b)
    def rotr(a, b): return op("ROTR", a, b)
    def clz(a): return op("CLZ", a)
    def ctz(a): return op("CTZ", a)
    def popcnt(a): return op("POPCNT", a)
    def abs(a): return op("ABS", a)
    def is0(a): return op("EQZ", a)
    def not0(a): return op("EQZ", op("EQZ", a))


def wrap(x):
    return x if isinstance(x, Node) else Node("const", (), x & M32)


def op(name, *args):
    return Node(name, [wrap(a) for a in args])


def sel(c, a, b):
    """c != 0 ? a : b"""
    return op("SELECT", a, b, c)


def const(v):
    return wrap(v)


class Emitter:
    """One emission under a choice of operand orders. Instruction: [mnemonic, operand or None, node]."""

    def __init__(self, nargs, roots, flips, traps=()):
        self.nargs, self.flips = nargs, flips
        self.uses = {}
        for r in list(traps) + list(roots):
            self.count(r if not isinstance(r, tuple) else r[0])
        self.done = set()
        self.code = []
        for i in reversed(range(nargs)):
            self.code.append(["SET", ("arg", i), None])
        self.traps = traps
        self.roots = roots

    def count(self, root):
        stack = [root]
        self.uses[root] = self.uses.get(root, 0) + 1
        if self.uses[root] > 1:
            return
        while stack:
            n = stack.pop()
            for a in n.args:
                u = self.uses.get(a, 0)
                self.uses[a] = u + 1
                if u == 0:
                    stack.append(a)

    def run(self):
        for t, kind in self.traps:
            self.emit(t)
            self.code.append(["TRAP_IF", kind, None])
        for r in self.roots:
            self.emit(r)
        return peephole(self.code, self.nargs)

    def emit(self, n):
        if n.op == "const":
            self.code.append(["PUSH", n.value, n])
            return
        if n.op == "arg":
            self.code.append(["GET", ("arg", n.value), n])
            return
        if n in self.done:
            self.code.append(["GET", n, n])
            return
        name, args = n.op, list(n.args)
        flip = self.flips.get(n.id, 0)
        if name in COMMUTES:
            if flip & 1:
                args.reverse()
        elif name in MIRROR:
            if flip & 1:
                args.reverse()
                name = MIRROR[name]
        elif name == "SELECT":
            c = args[2]
            if flip & 1 and c.op in OPPOSITE and self.uses[c] == 1:
                for a in (args[1], args[0]):
                    self.emit(a)
                self.emit_compare_opposite(c)
                self.code.append(["SELECT", None, n])
                self.keep(n)
                return
            if flip & 1 and c.op == "EQZ" and self.uses[c] == 1:
                for a in (args[1], args[0], c.args[0]):
                    self.emit(a)
                self.code.append(["SELECT", None, n])
                self.keep(n)
                return
        for a in args:
            self.emit(a)
        self.code.append([name, None, n])
        self.keep(n)

    def emit_compare_opposite(self, c):
        name, args = OPPOSITE[c.op], list(c.args)
        if self.flips.get(c.id, 0) & 1:
            args.reverse()
            name = MIRROR.get(name, name)
        for a in args:
            self.emit(a)
        self.code.append([name, None, c])

    def keep(self, n):
        if self.uses[n] > 1:
            self.done.add(n)
            self.code.append(["TEE", n, n])


POPS = {"PUSH": 0, "GET": 0, "SET": 1, "TEE": 1, "POP": 1, "DUP": 1, "OVER": 2, "SWAP": 2, "ROT": 3, "SELECT": 3,
        "EQZ": 1, "CLZ": 1, "CTZ": 1, "POPCNT": 1, "NEG": 1, "ABS": 1, "TRAP_IF": 1}
PUSHES = {"PUSH": 1, "GET": 1, "SET": 0, "TEE": 1, "POP": 0, "DUP": 2, "OVER": 3, "SWAP": 2, "ROT": 3, "TRAP_IF": 0}


def pops(i): return POPS.get(i[0], 2)
def pushes(i): return PUSHES.get(i[0], 1)


def peephole(code, nargs):
    changed = True
    while changed:
        changed = False
        reads = {}
        for k, i in enumerate(code):
            if i[0] == "GET":
                reads.setdefault(i[1], []).append(k)
            elif i[0] == "TRAP_IF":  # its arm reads the arguments
                for c in range(nargs):
                    reads.setdefault(("arg", c), []).append(k)
        out = None
        for k, i in enumerate(code):
            if i[0] == "SET":
                r = reads.get(i[1], [])
                if not r:
                    out = code[:k] + [["POP", None, None]] + code[k + 1:]
                    break
                if r[0] == k + 1 and code[k + 1][0] == "GET":
                    out = code[:k] + [["TEE", i[1], None]] + code[k + 2:]
                    break
                if len(r) == 1 and code[k + 1][0] in ("PUSH", "GET") and r[0] == k + 2 and code[k + 2][0] == "GET":
                    out = code[:k] + [code[k + 1], ["SWAP", None, None]] + code[k + 3:]
                    break
            elif i[0] == "TEE":
                r = reads.get(i[1], [])
                if not r:
                    out = code[:k] + code[k + 1:]
                    break
                # every read reachable by DUP / OVER: one read only, or reads in a row
                if len(r) <= 3:
                    new = near_top(code, k, r)
                    if new is not None:
                        out = new
                        break
        if out is not None:
            code, changed = out, True
    return code


def near_top(code, k, reads):
    """Replaces TEE at k and its reads by DUP / OVER where each read finds the value near the top."""
    tag = code[k][2]
    pos = {0}  # depths (0 = top) at which a copy of the value lies
    new = list(code)
    for j in range(k + 1, reads[-1] + 1):
        i = code[j]
        if j in reads:
            if i[0] == "TRAP_IF":
                return None
            if 0 in pos:
                new[j] = ["DUP", None, i[2]]
                pos = {p + 1 for p in pos} | {0}
            elif 1 in pos:
                new[j] = ["OVER", None, i[2]]
                pos = {p + 1 for p in pos} | {0}
            else:
                return None
            continue
        a, b = pops(i), pushes(i)
        if i[0] == "TEE":
            continue
        if i[0] == "DUP":
            pos = {p + 1 for p in pos} | ({0} if 0 in pos else set())
            continue
        if i[0] == "OVER":
            pos = {p + 1 for p in pos} | ({0} if 1 in pos else set())
            continue
        if i[0] in ("SWAP", "ROT"):
            return None
        pos = {p - a + b for p in pos if p >= a}
        if not pos:
            return None
    del new[k]
    return new


def search(nargs, roots, traps=(), rounds=600, seed=1):
    rng = random.Random(seed)
    nodes = []
    seen = set()

    def walk(n):
        if n in seen:
            return
        seen.add(n)
        for a in n.args:
            walk(a)
        if n.op in COMMUTES or n.op in MIRROR or n.op == "SELECT":
            nodes.append(n)

    for t, _ in traps:
        walk(t)
    for r in roots:
        walk(r)

    def cost(flips):
        code = Emitter(nargs, roots, flips, traps).run()
        return sum(2 if i[0] == "TRAP_IF" else 1 for i in code), code

    best_flips = {}
    best, code = cost(best_flips)
    if not nodes:
        return code
    # A sweep of single flips, then random small sets of flips.
    for n in nodes:
        f = dict(best_flips)
        f[n.id] = f.get(n.id, 0) ^ 1
        c, k = cost(f)
        if c <= best:
            best, best_flips, code = c, f, k
    for _ in range(rounds):
        f = dict(best_flips)
        for _ in range(rng.choice((1, 1, 2, 2, 3))):
            n = rng.choice(nodes)
            f[n.id] = f.get(n.id, 0) ^ 1
        c, k = cost(f)
        if c <= best:
            best, best_flips, code = c, f, k
    return code


def evaluate(roots, args, traps=()):
    """The values of the roots, for checks in Python."""
    memo = {}

    def s(x): return x - (1 << 32) if x & 0x80000000 else x

    def go(n):
        if n in memo:
            return memo[n]
        if n.op == "const":
            v = n.value
        elif n.op == "arg":
            v = args[n.value]
        else:
            x = [go(a) for a in n.args]
            o = n.op
            if o == "ADD": v = x[0] + x[1]
            elif o == "SUB": v = x[0] - x[1]
            elif o == "MUL": v = x[0] * x[1]
            elif o == "DIV_U": v = x[0] // x[1]
            elif o == "REM_U": v = x[0] % x[1]
            elif o == "AND": v = x[0] & x[1]
            elif o == "OR": v = x[0] | x[1]
            elif o == "XOR": v = x[0] ^ x[1]
            elif o == "SHL": v = x[0] << (x[1] & 31)
            elif o == "SHR_U": v = x[0] >> (x[1] & 31)
            elif o == "SHR_S": v = s(x[0]) >> (x[1] & 31)
            elif o == "ROTL": v = (x[0] << (x[1] & 31)) | (x[0] >> (32 - (x[1] & 31)))
            elif o == "ROTR": v = (x[0] >> (x[1] & 31)) | (x[0] << (32 - (x[1] & 31)))
            elif o == "EQ": v = int(x[0] == x[1])
            elif o == "NE": v = int(x[0] != x[1])
            elif o == "LT_U": v = int(x[0] < x[1])
            elif o == "GT_U": v = int(x[0] > x[1])
            elif o == "LE_U": v = int(x[0] <= x[1])
            elif o == "GE_U": v = int(x[0] >= x[1])
            elif o == "LT_S": v = int(s(x[0]) < s(x[1]))
            elif o == "GT_S": v = int(s(x[0]) > s(x[1]))
            elif o == "LE_S": v = int(s(x[0]) <= s(x[1]))
            elif o == "GE_S": v = int(s(x[0]) >= s(x[1]))
            elif o == "EQZ": v = int(x[0] == 0)
            elif o == "NEG": v = -x[0]
            elif o == "ABS": v = abs(s(x[0]))
            elif o == "CLZ": v = 32 - x[0].bit_length()
            elif o == "CTZ": v = 32 if x[0] == 0 else (x[0] & -x[0]).bit_length() - 1
            elif o == "POPCNT": v = bin(x[0]).count("1")
            elif o == "SELECT": v = x[0] if x[2] else x[1]
            else: raise ValueError(o)
            v &= M32
        memo[n] = v
        return v

    for t, kind in traps:
        if go(t):
            return kind
    return [go(r) for r in roots]


def infix(n, top=True):
    """The node's definition over named nodes."""
    def term(a):
        if a.name: return a.name
        return infix(a, False)
    if n.op == "const":
        v = n.value
        if v >= 0xFFFFFF00: return str(v - (1 << 32))
        return str(v) if v < 1024 else "0x%X" % v
    if n.op == "arg": return ARG_NAMES[n.value]
    a = n.args
    if n.op in SIGNS:
        s = "%s %s %s" % (term(a[0]), SIGNS[n.op], term(a[1]))
        return s if top else "(" + s + ")"
    if n.op == "EQZ":
        s = "%s == 0" % term(a[0])
        if a[0].op == "EQZ" and not a[0].name: s = "%s != 0" % term(a[0].args[0])
        return s if top else "(" + s + ")"
    if n.op == "NEG": return "-" + term(a[0])
    if n.op == "SELECT":
        s = "%s ? %s : %s" % (term(a[2]), term(a[0]), term(a[1]))
        return s if top else "(" + s + ")"
    return "%s(%s)" % (n.op.lower(), ", ".join(term(x) for x in a))


ARG_NAMES = []
