"""The i64 operations as expressions. An i64 is two cells, low first: (l, h)."""

from dag import sel, const, op


def mul(al, ah, bl, bh):
    a0 = (al & 0xFFFF).named("a0")
    a1 = (al >> 16).named("a1")
    b0 = (bl & 0xFFFF).named("b0")
    b1 = (bl >> 16).named("b1")
    x = (a1 * b0 + ((a0 * b0) >> 16)).named("x")
    y = (a0 * b1 + (x & 0xFFFF))
    hi = a1 * b1 + (x >> 16) + (y >> 16) + al * bh + ah * bl
    return [al * bl, hi]


def shl(l, h, n, unused):
    low = (l << n).named("low_up")
    far = (n & 32).named("far")
    return [sel(far, 0, low), sel(far, low, (h << n) | ((l >> 1) >> (n ^ -1)))]


def shr(l, h, n, signed):
    top = (h.sar(n) if signed else h >> n).named("high_down")
    far = (n & 32).named("far")
    fill = h.sar(31) if signed else 0
    return [sel(far, top, (l >> n) | ((h << 1) << (n ^ -1))), sel(far, fill, top)]


def shr_u(l, h, n, unused): return shr(l, h, n, False)
def shr_s(l, h, n, unused): return shr(l, h, n, True)


def rotl(l, h, n, unused):
    far = (n & 32).named("far")
    lo = sel(far, h, l).named("lo")
    hi = sel(far, l, h).named("hi")
    m = (n ^ -1).named("m")
    return [(lo << n) | ((hi >> 1) >> m), (hi << n) | ((lo >> 1) >> m)]


def rotr(l, h, n, unused):
    far = (n & 32).named("far")
    lo = sel(far, h, l).named("lo")
    hi = sel(far, l, h).named("hi")
    m = (n ^ -1).named("m")
    return [(lo >> n) | ((hi << 1) << m), (hi >> n) | ((lo << 1) << m)]


def clz(l, h): return [sel(h, h.clz(), l.clz() + 32), const(0)]
def ctz(l, h): return [sel(l, l.ctz(), h.ctz() + 32), const(0)]
def popcnt(l, h): return [l.popcnt() + h.popcnt(), const(0)]
