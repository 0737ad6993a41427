"""Steps of the usual path of routines that branch: both operands and the result are normal numbers.

Sketches to compare with, for docs/ROUTINES.md: one test that everything is usual, then the arithmetic alone.
"""

import dag
from dag import Node, search, sel, const, op, wrap
from f32 import round_shift, SIGN
import f64


def f32_usual(a, b):
    ea = ((a << 1) >> 24).named("ea")
    eb = ((b << 1) >> 24).named("eb")
    return ea, eb, (ea - 1 >= 254) | (eb - 1 >= 254)


def f32_add(a, b):
    # operands ordered by exponent in the branch before; both normal
    ea, eb, odd = f32_usual(a, b)
    ma = ((a << 8) | SIGN) >> 1
    mb = ((b << 8) | SIGN) >> 1
    d = (ea - eb).named("d")
    h = (mb >> d).named("h")
    hs = h | (h << d).ne(mb)
    n = (a ^ b).sar(31).named("n")
    s = (ma + ((hs ^ n) - n)).named("s")
    z = s.clz().named("z")
    e = (ea - z).named("e")
    r = (e << 23) + round_shift((s << z).named("w"), const(8))
    return [r | (a & SIGN)], [odd, d > 30, e - 1 >= 253]


def f32_mul(a, b):
    ea, eb, odd = f32_usual(a, b)
    A = ((a & 0x7FFFFF) | 0x800000).named("A")
    B = ((b << 8) | SIGN).named("B")
    hi = (A * (B >> 24) + ((A * ((B >> 16) & 255) + ((A * ((B >> 8) & 255)) >> 8)) >> 8)).named("hi")
    z = hi.clz().named("z")
    e = (ea + eb - z - 127).named("e")
    r = (e << 23) + round_shift((hi << z).named("w"), const(8), A * B << 8)
    return [r | ((a ^ b) & SIGN)], [odd, e - 1 >= 253]


def f32_div(a, b):
    ea, eb, odd = f32_usual(a, b)
    A = ((a & 0x7FFFFF) | 0x800000).named("A")
    B = ((b & 0x7FFFFF) | 0x800000).named("B")
    less = (A < B).named("less")
    r = (A << less) - B
    q = const(1)
    for _ in range(3):
        t = (r << 8)
        q = (q << 8) | (t // B)
        r = t % B
    e = (ea - eb - less + 126).named("e")
    return [((e << 23) + round_shift(q.named("q"), const(1), r)) | ((a ^ b) & SIGN)], [odd, e - 1 >= 253]


def f32_sqrt(a):
    from f32 import sqrt
    m = ((a & 0x7FFFFF) | 0x800000)
    import f32
    saved = f32.normalise_scaled
    f32.normalise_scaled = lambda x, n: (((x & 0x7FFFFF) | 0x800000).named("m"), (x >> 23).named("e"))
    r, _ = sqrt(a)
    f32.normalise_scaled = saved
    return [r], [a - 0x800000 >= 0x7F000000]


def steps(fn, cells):
    Node.table = {}
    args = [Node("arg", (), i) for i in range(cells)]
    roots, tests = fn(*args)
    code = search(cells, [wrap(x) for x in roots], [(t, "") for t in tests], 600)
    return len(code) + 2


if __name__ == "__main__":
    for name, fn, cells in (("f32.add", f32_add, 2), ("f32.mul", f32_mul, 2), ("f32.div", f32_div, 2), ("f32.sqrt", f32_sqrt, 1)):
        print(name, steps(fn, cells))
