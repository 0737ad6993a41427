"""Conversions as expressions."""

from dag import sel, const, op
from f32 import round_shift, MAG, SIGN, INF, NAN

DINF = 0x7FF00000
DNAN = 0x7FF80000


def shl64(l, h, n):
    """(l, h) << n for 0 <= n < 64."""
    l1 = (l << n).named("low_up")
    cross = l.rotl(n) ^ l1
    big = n & 32
    return sel(big, 0, l1), sel(big, l1, (h << n) | cross)


def f32_word(x):
    """Unsigned cell to f32 bits."""
    z = x.clz().named("z")
    w = (x << z).named("w")
    return sel(x, ((157 - z) << 23) + round_shift(w, const(8)), 0)


def f32_convert_i32_u(x): return [f32_word(x)]


def f32_convert_i32_s(x):
    return [f32_word(x.abs().named("m")) | (x & SIGN)]


def magnitude64(l, h):
    n = h.sar(31).named("n")
    al = ((l ^ n) - n).named("al")
    ah = ((h ^ n) - (sel(l, 0, n))).named("ah")
    return al, ah


def f32_double(l, h):
    """Unsigned 64-bit to f32 bits. The top word holds 32 bits after a shift by up to 63."""
    z = sel(h, h.clz(), l.clz() + 32).named("z")
    wl, wh = shl64(l, h, z)
    wh = wh.named("w")
    r = ((189 - z) << 23) + round_shift(wh, const(8), wl)
    return sel(l | h, r, 0)


def f32_convert_i64_u(l, h): return [f32_double(l, h)]


def f32_convert_i64_s(l, h):
    al, ah = magnitude64(l, h)
    return [f32_double(al, ah) | (h & SIGN)]


def f64_convert_i32_u(x):
    z = x.clz().named("z")
    w = (x << z).named("w")
    hi = sel(x, ((const(1023 + 31 - 1) - z) << 20) + (w >> 11), 0)
    return [w << 21, hi]


def f64_convert_i32_s(x):
    m = x.abs().named("m")
    z = m.clz().named("z")
    w = (m << z).named("w")
    hi = sel(x, ((const(1023 + 31 - 1) - z) << 20) + (w >> 11), 0) | (x & SIGN)
    return [w << 21, hi]


def f64_double(l, h):
    z = sel(h, h.clz(), l.clz() + 32).named("z")
    wl, wh = shl64(l, h, z)
    wl, wh = wl.named("wl"), wh.named("wh")
    # 64 bits, top set; keep 53: low 11 bits are rounded
    lo = ((wh << 21) | (wl >> 11)).named("cut")
    up = ((wl << 21) | (lo & 1)) > 0x80000000
    rl = (lo + up).named("rl")
    hi = ((const(1023 + 63 - 1) - z) << 20) + (wh >> 11) + (rl < up.named("up"))
    return rl, sel(l | h, hi, 0)


def f64_convert_i64_u(l, h): return list(f64_double(l, h))


def f64_convert_i64_s(l, h):
    al, ah = magnitude64(l, h)
    lo, hi = f64_double(al, ah)
    return [lo, hi | (h & SIGN)]


def promote(a):
    x = (a & MAG).named("x")
    s = sel(x < 0x800000, x.clz() - 8, 0).named("up")
    m = (x << s).named("m")
    # m: exponent field + mantissa; subnormal: field 1 after the shift
    hi = sel(x, (m >> 3) + ((const(896) - s) << 20), 0)
    hi = sel(x < INF, hi, DINF)
    return [sel(x > INF, 0, m << 29), sel(x > INF, DNAN, hi | (a & SIGN))]


def demote(l, h):
    x = (h & MAG).named("x")
    e = (x >> 20).named("e")
    # 31-bit significand: implicit, 20, 10 of the low word; the rest is sticky
    m = (((x & 0xFFFFF) | 0x100000) << 10 | (l >> 22)).named("m")
    kd = (const(7 + 897) - e).named("low_shift")
    k = sel(kd.gts(7), kd, 7).named("k")
    fit = sel(k < 32, m, 0).named("fit")
    r = (((k - kd) << 23) + round_shift(fit, k, l << 10)).named("r")
    fin = sel(e < 1151, r, INF)
    return [sel((x | l.not0()) > DINF, NAN, fin | (h & SIGN))]


# Truncations. A value is (sign, 64-bit integer part); `bad` says that it is out of range or NaN.
def f32_to_word(a):
    """|a| cut to 32 bits, for exponents below 2^32."""
    e = ((a << 1) >> 24).named("e")
    m = ((a << 8) | SIGN).named("m")
    return e, sel(e > 126, m >> (158 - e), 0)


def i32_trunc_f32_s(a, sat=False):
    e, v = f32_to_word(a)
    n = a.sar(31).named("n")
    value = (v ^ n) - n
    ok = (e < 158)
    if sat:
        limit = sel((a & MAG) > INF, 0, const(MAG) - n)
        return [sel(ok, value, limit)], []
    bad = (e >= 158) & a.ne(0xCF000000)
    return [value], [bad]


def i32_trunc_f32_u(a, sat=False):
    e, v = f32_to_word(a)
    if sat:
        # negative or NaN: 0; at least 2^32: all ones
        return [sel(a < 0x4F800000, v, sel((a - 0x4F800000) <= (INF - 0x4F800000), -1, 0))], []
    # fine: a < 2^32, or a > -1 (0x80000000 <= a < 0xBF800000)
    bad = (a >= 0x4F800000) & ((a ^ SIGN) >= 0x3F800000)
    return [v], [bad]


def f32_to_double(a):
    e = ((a << 1) >> 24).named("e")
    m = ((a << 8) | SIGN).named("m")
    k = (190 - e).named("k")  # m is the high word, top bit = 2^63 when e = 190
    h1 = (m >> k).named("high_down")
    cross = m.rotr(k) ^ h1
    big = (k & 32).named("far")
    l = sel(big, h1, cross)
    h = sel(big, 0, h1)
    one = (e > 126).named("one")
    return e, sel(one, l, 0), sel(one, h, 0)


def negate64(l, h, n):
    vl = (l ^ n) - n
    vh = (h ^ n) - sel(l, 0, n)
    return vl, vh


def i64_trunc_f32_s(a, sat=False):
    e, l, h = f32_to_double(a)
    l, h = l.named("l"), h.named("h")
    n = a.sar(31).named("n")
    vl, vh = negate64(l, h, n)
    ok = (e < 190).named("ok")
    if sat:
        nan = ((a << 1) > 0xFF000000).named("nan")
        return [sel(ok, vl, sel(nan, 0, n ^ -1)), sel(ok, vh, sel(nan, 0, const(MAG) - n))], []
    return [vl, vh], [(e >= 190) & a.ne(0xDF000000)]


def i64_trunc_f32_u(a, sat=False):
    e, l, h = f32_to_double(a)
    if sat:
        ok = (a < 0x5F800000).named("ok")
        full = (const(0) - ((a - 0x5F800000) <= (INF - 0x5F800000))).named("full")
        return [sel(ok, l, full), sel(ok, h, full)], []
    return [l, h], [(a >= 0x5F800000) & ((a ^ SIGN) >= 0x3F800000)]


def f64_to_word(l, h):
    """|a| cut to 32 bits; right for exponents below 2^32."""
    e = ((h << 1) >> 21).named("e")
    m = ((h << 11) | SIGN | (l >> 21)).named("m")
    return e, sel(e > 1022, m >> (const(1054) - e), 0)


def i32_trunc_f64_s(l, h, sat=False):
    e, v = f64_to_word(l, h)
    n = h.sar(31).named("n")
    # out of range: v above 2^31 - 1 (+) or 2^31 (-), or e too large
    big = (e < 1055)
    v = v.named("v")
    value = (v ^ n) - n
    ok = big & (v <= (const(MAG) - n).named("limit"))
    if sat:
        limit = (const(MAG) - n).named("limit")
        nan = ((h << 1) | l.not0()) > 0xFFE00000
        return [sel(ok, value, sel(nan, 0, limit))], []
    return [value], [(e >= 1055) | (v > (const(MAG) - n).named("limit"))]


def i32_trunc_f64_u(l, h, sat=False):
    e, v = f64_to_word(l, h)
    if sat:
        return [sel(h < 0x41F00000, v, sel(((h - 0x41F00000) | l.not0()) <= (DINF - 0x41F00000), -1, 0))], []
    bad = (h >= 0x41F00000) & ((h ^ SIGN) >= 0x3FF00000)
    return [v], [bad]


def f64_to_double(l, h):
    e = ((h << 1) >> 21).named("e")
    mh = ((h << 11) | SIGN | (l >> 21)).named("mh")
    ml = (l << 11).named("ml")
    k = (const(1086) - e).named("k")
    h1 = (mh >> k).named("high_down")
    cross = mh.rotr(k) ^ h1
    far = (k & 32).named("far")
    one = (e > 1022).named("one")
    return e, sel(one, sel(far, h1, (ml >> k) | cross), 0), sel(one, sel(far, 0, h1), 0)


def i64_trunc_f64_s(l, h, sat=False):
    e, vl, vh = f64_to_double(l, h)
    vl, vh = vl.named("vl"), vh.named("vh")
    n = h.sar(31).named("n")
    rl, rh = negate64(vl, vh, n)
    ok = (e < 1086).named("ok")
    if sat:
        nan = (((h << 1) | l.not0()) > 0xFFE00000).named("nan")
        return [sel(ok, rl, sel(nan, 0, n ^ -1)), sel(ok, rh, sel(nan, 0, const(MAG) - n))], []
    return [rl, rh], [(e >= 1086) & ((h ^ 0xC3E00000) | l).not0()]


def i64_trunc_f64_u(l, h, sat=False):
    e, vl, vh = f64_to_double(l, h)
    if sat:
        ok = (h < 0x43F00000).named("ok")
        full = (const(0) - (((h - 0x43F00000) | l.not0()) <= (DINF - 0x43F00000))).named("full")
        return [sel(ok, vl, full), sel(ok, vh, full)], []
    return [vl, vh], [(h >= 0x43F00000) & ((h ^ SIGN) >= 0x3FF00000)]
