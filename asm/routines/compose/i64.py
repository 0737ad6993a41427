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
    return [sel(far, 0, low), sel(far, low, (h << n) | (l.rotl(n) ^ low))]


def shr(l, h, n, signed):
    top = (h.sar(n) if signed else h >> n).named("high_down")
    far = (n & 32).named("far")
    fill = h.sar(31) if signed else 0
    return [sel(far, top, (l >> n) | (h.rotr(n) ^ (h >> n))), sel(far, fill, top)]


def shr_u(l, h, n, unused): return shr(l, h, n, False)
def shr_s(l, h, n, unused): return shr(l, h, n, True)


def rotl(l, h, n, unused):
    """x << n | y >> (32 - n) = (x << n) ^ (y << n) ^ rotl(y, n), and the first two are (x ^ y) << n."""
    far = (n & 32).named("far")
    both = ((l ^ h) << n).named("both")
    return [both ^ sel(far, l, h).rotl(n), both ^ sel(far, h, l).rotl(n)]


def rotr(l, h, n, unused):
    """x >> n | y << (32 - n) = (x ^ y) >> n ^ rotr(y, n)."""
    far = (n & 32).named("far")
    both = ((l ^ h) >> n).named("both")
    return [both ^ sel(far, l, h).rotr(n), both ^ sel(far, h, l).rotr(n)]


def clz(l, h): return [sel(h.is0(), l.clz() + 32, h.clz()), const(0)]
def ctz(l, h): return [sel(l, l.ctz(), h.ctz() + 32), const(0)]
def popcnt(l, h): return [l.popcnt() + h.popcnt(), const(0)]
