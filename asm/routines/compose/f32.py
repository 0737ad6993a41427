"""The f32 operations as expressions. A float is one cell; see dag.py."""

from dag import sel, const, op

MAG = 0x7FFFFFFF
SIGN = 0x80000000
INF = 0x7F800000
NAN = 0x7FC00000
INF2 = 0xFF000000  # INF << 1


def maxu(a, b):
    return sel(a > b, a, b)


def minu(a, b):
    return sel(a < b, a, b)


def round_shift(w, k, sticky=None):
    """w >> k, rounded to nearest even; 1 <= k <= 31; `sticky` is a cell that is not 0 when bits below w are set."""
    q = (w >> k).named("cut")
    low = (w << op("NEG", k) if k.op != "const" else w << const(32 - k.value)).named("rest")
    odd = q & 1
    if sticky is not None:
        odd = sel(sticky, 1, odd)
    return q + ((low | odd) > 0x80000000)


def normal_or_subnormal(x):
    """Left-aligned significand of magnitude x before normalisation; exponent field."""
    e = (x >> 23)
    return sel(e, (x << 8) | SIGN, x << 9), e


def normalise_scaled(x, n):
    """(24-bit significand with its top bit set, exponent): a subnormal is shifted up, a 0 becomes a junk normal."""
    s = sel(x < 0x800000, x.clz() - 8, 0).named("up_" + n)
    m = (x << s).named("scaled_" + n)
    return ((m & 0x7FFFFF) | 0x800000).named("m" + n), ((m >> 23) - s).named("e" + n)


def add(a, b, negate=False):
    x = (a & MAG).named("x")
    y = (b & MAG).named("y")
    ab = (a ^ b).named("ab")
    p = sel(x > y, a, b).named("p")
    q = (ab ^ p).named("q")
    p2 = (p << 1).named("p2")
    ep = (p2 >> 24).named("ep")
    eq = ((q << 1) >> 24).named("eq")
    # top bit 29: room for a carry, and for rounding by addition
    mp = (sel(ep, (p << 8) | SIGN, p << 9) >> 2).named("mp")
    mq = (sel(eq, (q << 8) | SIGN, q << 9) >> 2).named("mq")
    d = minu((ep - eq).named("gap"), 31).named("d")
    h = (mq >> d).named("h")
    hs = (h | ((h << d).ne(mq))).named("aligned")
    n = ab.sar(31).named("n")
    s = (mp + ((hs ^ n) - n)).named("s")
    t = minu((s.clz() - 1).named("z"), ep).named("t")
    w = (s << t).named("w")
    r = (((ep - t) << 23) + ((w + (63 + ((w >> 7) & 1))) >> 7)).named("r")
    gone = ab.eq(SIGN).named("gone")
    fin = sel((r < INF) & (p2 < INF2), r, INF)
    return [sel((p2 | gone) > INF2, NAN, sel(gone, 0, fin | (p & SIGN)))]


def sub(a, b):
    return add(a, (b ^ SIGN).named("minus_b"))


def mul(a, b):
    x = (a & MAG).named("x")
    y = (b & MAG).named("y")
    mx = maxu(x, y).named("big")
    mn = (x ^ y ^ mx).named("small")
    A = ((mx & 0x7FFFFF) | 0x800000).named("m")
    B0, e = normal_or_subnormal(mn)
    e.named("e_small")
    B0.named("raw")
    s = B0.clz().named("up")
    B = (B0 << s).named("n")
    # product of 24-bit A and 32-bit B (its low 8 bits are 0)
    hi = (A * (B >> 24) + ((A * ((B >> 16) & 255) + ((A * ((B >> 8) & 255)) >> 8)) >> 8)) >> 1
    sticky = (A * B) << 7
    # hi = m * n / 2^17 in [2^29, 2^31); result 2^23..: shift 6 or 7
    hi = hi.named("hi")
    kd = sel(mn, (s + const(134) - (mx >> 23) - e), 200).named("low_shift")
    v = ((hi >> 30) + 6).named("v")
    k = sel(kd.gts(v), kd, v).named("k")
    up = ((k - kd) << 23)
    hz = sel(k < 32, hi, 0).named("fit")
    r = (up + round_shift(hz, k, sticky)).named("r")
    fin = sel((r < INF) & (mx < INF), r, INF)
    return [sel((mx + mn.is0()) > INF, NAN, fin | ((a ^ b) & SIGN))]


def div(a, b):
    x = (a & MAG).named("x")
    y = (b & MAG).named("y")
    A, ea = normalise_scaled(x, "a")
    B, eb = normalise_scaled(y, "b")
    less = (A < B).named("less")
    r0 = ((A << less) - B).named("r0")
    q1 = ((t0 := (r0 << 8)) // B)
    r1 = (t0 % B)
    q2 = ((t1 := (r1 << 8)) // B)
    r2 = (t1 % B)
    q3 = ((t2 := (r2 << 8)) // B)
    r3 = (t2 % B)
    Q = (((((q1 | 256) << 8) | q2) << 8) | q3).named("quotient")  # 25 bits
    # normal: k = 1, exponent ea - eb + 127 - less
    kd = ((eb + less) - ea - const(127 - 2)).named("low_shift")
    k = sel(kd.gts(1), kd, 1).named("k")
    qz = sel(k < 32, Q, 0).named("fit")
    r = (((k - kd) << 23) + round_shift(qz, k, r3)).named("r")
    fi = (x.eq(INF) | y.is0()).named("is_inf")
    fz = (x.is0() | y.eq(INF)).named("is_zero")
    nan = (maxu(x, y) > INF) | (fi & fz)
    fin = sel(fz, 0, sel((r < INF) & fi.is0(), r, INF))
    return [sel(nan, NAN, fin | ((a ^ b) & SIGN))]


def sqrt(a):
    x = a  # negative and NaN are caught at the end
    m, e = normalise_scaled((a & MAG).named("x"), "a")
    # value = m * 2^(e-150). odd = parity: N = m << 8 (odd e: e - 127 even) or m << 7... with N in [2^30, 2^32)
    # e odd: e-127 even: value = (m/2^23) * 2^(e-127), m/2^23 in [1,2): N = m << 7 in [2^30, 2^31)
    # e even: value = (2m/2^23) * 2^(e-128): N = m << 8 in [2^31, 2^32)
    N = (m << (8 - (e & 1))).named("n")
    x0 = ((N >> 17) + 0x6AAB).named("x0")
    x1 = ((x0 + N // x0) >> 1).named("x1")
    x2 = ((x1 + N // x1) >> 1).named("x2")
    s1 = (x2 - ((x2 * x2 - 1) >= N)).named("root16")
    r1 = (N - s1 * s1) << 10
    d = s1 << 1
    q = (r1 // d).named("q")
    u = (r1 % d)
    # remainder of s1*2^10 + q: u*2^10 - q*q
    R = ((u << 10) - q * q).named("rest")
    S = ((s1 << 10) + q + R.sar(31)).named("root26")
    # 26 bits; sticky = R != 0 (R negative: the true remainder is not 0 unless R + 2S+1 = 0, S after the correction)
    w = (S >> 2)
    low = (S << 30)
    st = sel(R, 1, w & 1)
    r = ((((e + 125) >> 1) << 23) + w + ((low | st) > SIGN))
    return r, x


def sqrt_full(a):
    r, x = sqrt(a)
    # +0 and +inf: themselves, -0: itself; NaN or negative: NaN
    return [sel((a - 1) < (INF - 1), r, sel((a > INF) & a.ne(SIGN), NAN, a))]


def minimum(a, b, less=True):
    # as signed numbers; the order of two negative floats is the other way round
    c = a.lts(b) ^ ((a & b) >> 31)
    nan = ((a << 1) > INF2) | ((b << 1) > INF2)
    return [sel(nan, NAN, sel(c, a, b) if less else sel(c, b, a))]


def eq(a, b):
    return [(a.eq(b) & ((a << 1) <= INF2)) | ((a | b) << 1).is0()]


def ne(a, b):
    return [(a.ne(b) | ((a << 1) > INF2)) & ((a | b) << 1).not0()]


def lt(a, b):
    # not -NaN on the left, not +NaN on the right
    ka = sel(a >> 31, SIGN - a, a)
    kb = sel(b >> 31, SIGN - b, b)
    return [ka.lts(kb) & (a <= 0xFF800000) & b.les(INF)]


def le(a, b):
    ka = sel(a >> 31, SIGN - a, a)
    kb = sel(b >> 31, SIGN - b, b)
    # a = b may be a NaN: both tests are wanted on both sides; a <= b, a not -NaN, b not +NaN: equal NaNs are caught
    return [ka.les(kb) & (a <= 0xFF800000) & b.les(INF)]


def fraction_mask(a):
    x = (a & MAG).named("x")
    e = (x >> 23).named("e")
    return x, e


def trunc(a):
    x, e = fraction_mask(a)
    mask = sel(e < 127, MAG, sel(e < 150, const(0x7FFFFF) >> (e - 127), 0))
    return [sel(x > INF, NAN, a & (mask ^ -1))]


def toward(a, negative):
    """floor (negative) or ceil: fractions of that sign grow by one unit before they are cut."""
    x, e = fraction_mask(a)
    mask = sel(e < 150, const(0x7FFFFF) >> (e - 127), 0).named("mask")
    grow = a.sar(31) if negative else (a.sar(31) ^ -1)
    big = (a + (mask & grow)) & (mask ^ -1)
    # |a| < 1: 0 stays, else 0 or one away
    if negative:
        small = sel(a > SIGN, 0xBF800000, a & SIGN)   # a in (-1, -0)
    else:
        small = sel((a - 1) < MAG, 0x3F800000, a & SIGN)  # a in (0, 1)
    return [sel(x > INF, NAN, sel(e < 127, small, big))]


def floor(a): return toward(a, True)
def ceil(a): return toward(a, False)


def nearest(a):
    x, e = fraction_mask(a)
    s = (150 - e).named("s")
    mask = sel(e < 150, const(0x7FFFFF) >> (e - 127), 0).named("mask")
    # half - 1 + odd; mask 0: nothing
    lsb = sel(e < 150, (x >> s) & 1, 0)
    big = (x + (mask >> 1) + lsb) & (mask ^ -1)
    small = sel(x > 0x3F000000, 0x3F800000, 0)
    return [sel(x > INF, NAN, sel(e < 127, small, big) | (a & SIGN))]
