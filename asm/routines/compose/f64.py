"""The f64 operations as expressions. A double is two cells, low first: (l, h)."""

from dag import sel, const, op
from f32 import MAG, SIGN, maxu, minu

INF = 0x7FF00000
INF2 = 0xFFE00000  # INF << 1
NAN = 0x7FF80000


def shl64(l, h, n):
    l1 = (l << n).named("low_up")
    cross = l.rotl(n) ^ l1  # the bits that leave the low cell; none for n = 0 and 32
    big = (n & 32).named("far_up")
    return sel(big, 0, l1), sel(big, l1, (h << n) | cross)


def clz64(l, h):
    return sel(h, h.clz(), l.clz() + 32)


def round_add(wl, wh, k, expo, sticky=None):
    """A significand below 2^63 without its low k bits, rounded by adding half a unit; expo << 20 is added."""
    odd = (wl >> k) & 1
    if sticky is not None:
        odd = sel(sticky, 1, odd)
    vl = (wl + (odd + ((1 << (k - 1)) - 1))).named("vl")
    vh = (wh + (vl < wl)).named("vh")
    return (vh << (32 - k)) | (vl >> k), (expo << 20) + (vh >> k)


def round_pair(wl, wh, k0, kd, sticky):
    """A significand below 2^62 shifted down by k0 >= 1 and rounded; (k0 - kd) << 20 is added."""
    k = minu(k0, 63).named("k")
    far = (k & 32).named("far")
    h1 = (wh >> k).named("h1")
    l1 = (wl >> k).named("l1")
    mix = (l1 | (wh.rotr(k) ^ h1)).named("mix")
    below = (wl.rotr(k) ^ l1).named("below")
    L = sel(far, h1, mix).named("cut")
    H = sel(far, 0, h1)
    F = sel(far, mix, below)
    X = sel(far, below, 0) | sticky
    up = ((F | sel(X, 1, L & 1)) > SIGN).named("up")
    rl = (L + up).named("rl")
    return rl, (((k0 - kd) << 20) + H + (rl < up)).named("rh")


def split(xh):
    """Exponent field less one (0 for subnormals) and high word of the significand."""
    e0 = (xh >> 20)
    e = (e0 - e0.not0())
    return e, xh - (e << 20)


def add(al, ah, bl, bh):
    xh = (ah & MAG).named("xh")
    yh = (bh & MAG).named("yh")
    c = (xh < (yh + (al < bl))).named("swap")
    abh = (ah ^ bh).named("signs")
    ph = sel(c, bh, ah).named("ph")
    pl = sel(c, bl, al).named("pl")
    qh = (abh ^ ph)
    ql = sel(c, al, bl).named("ql")
    xp = (ph & MAG).named("xp")
    ep, mp = split(xp)
    ep = ep.named("ep")
    eq, mq = split((qh & MAG).named("xq"))
    eq = eq.named("eq")
    # top bit 61: room for a carry, and for rounding by addition
    mph = ((mp << 9) | (pl >> 23))
    mpl = (pl << 9)
    mqh = ((mq << 9) | (ql >> 23)).named("mqh")
    mql = (ql << 9).named("mql")
    d = minu((ep - eq).named("gap"), 63).named("d")
    far = (d & 32).named("far")
    h1 = (mqh >> d).named("h1")
    l1 = (mql >> d).named("l1")
    cross = (mqh.rotr(d) ^ h1).named("cross")
    L = sel(far, h1, l1 | cross)
    H = sel(far, 0, h1)
    lost = sel(far, cross | mql, mql.rotr(d) ^ l1)
    L = L | lost.not0()
    n = abh.sar(31).named("n")
    c1 = (mpl - n).named("c1")
    sl = ((L ^ n) + c1).named("sl")
    sh = (mph + (H ^ n) + (sl < c1)).named("sh")
    gone = (sl | sh).is0().named("gone")
    ep1 = (ep + 1).named("ep1")
    t = minu((clz64(sl, sh) - 1).named("z"), ep1).named("t")
    wl, wh = shl64(sl, sh, t)
    rl, rh = round_add(wl.named("wl"), wh, 10, ep1 - t)
    rh = rh.named("rh")
    fine = ((rh < INF) & (xp < INF)).named("fine")
    nan = (xp | (pl | gone).not0()) > INF
    hi = sel(gone, ah & bh & SIGN, sel(fine, rh, INF) | (ph & SIGN))
    return [sel(fine, rl, 0), sel(nan, NAN, hi)]


def sub(al, ah, bl, bh):
    return add(al, ah, bl, (bh ^ SIGN).named("minus_bh"))


def mul(al, ah, bl, bh):
    xh = (ah & MAG).named("xh")
    yh = (bh & MAG).named("yh")
    c = (xh < (yh + (al < bl))).named("swap")
    ph = sel(c, yh, xh).named("ph")
    pl = sel(c, bl, al).named("pl")
    qh = sel(c, xh, yh).named("qh")
    ql = sel(c, al, bl).named("ql")
    # the larger: 53 bits, as they are
    mp = ((ph & 0xFFFFF) | 0x100000).named("mp")
    # the smaller: its top bit moved to bit 63
    eq, mq = split(qh)
    eq, mq = eq.named("eq"), mq.named("mq")
    vh = sel(mq, mq, ql).named("vh")
    vl = sel(mq, ql, 0).named("vl")
    up = vh.clz().named("up")
    z = (mq.is0() << 5) + up
    Ql = (vl << up).named("nl")
    Qh = ((vh << up) | (vl.rotl(up) ^ Ql)).named("nh")
    a3 = (mp >> 7).named("a3")
    a2 = (((mp << 25) >> 18) | (pl >> 25)).named("a2")
    a1 = ((pl >> 11) & 0x3FFF).named("a1")
    a0 = ((pl << 21) >> 18).named("a0")
    b3 = (Qh >> 18).named("b3")
    b2 = ((Qh << 14) >> 18).named("b2")
    b1 = (((Qh << 28) >> 18) | (Ql >> 22)).named("b1")
    b0 = ((Ql >> 8) & 0x3FFF).named("b0")
    t0 = (a0 * b0).named("t0")
    t1 = (a0 * b1 + a1 * b0 + (t0 >> 14)).named("t1")
    t2 = (a0 * b2 + a1 * b1 + a2 * b0 + (t1 >> 14)).named("t2")
    t3 = (a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + (t2 >> 14)).named("t3")
    t4 = (a1 * b3 + a2 * b2 + a3 * b1 + (t3 >> 14)).named("t4")
    t5 = (a2 * b3 + a3 * b2 + (t4 >> 14)).named("t5")
    t6 = (a3 * b3 + (t5 >> 14)).named("t6")
    sticky = ((t0 | t1 | t2) & 0x3FFF) | (t3 & 255)
    wh = ((t6 << 2) | ((t5 & 0x3FFF) >> 12)).named("wh")
    wl = ((t5 << 20) | ((t4 & 0x3FFF) << 6) | ((t3 & 0x3FFF) >> 8)).named("wl")
    # wh in [2^28, 2^30): k = 8 or 9
    v = ((wh >> 29) + 8).named("v")
    # m * 2^(p-1075) * n * 2^(q+1-1075+11-z...): see the head of the routine
    kd = sel(ql | qh, (z - (ph >> 20) - eq + const(1020)), 2100).named("low_shift")
    k = sel(kd.gts(v), kd, v).named("k0")
    rl, rh = round_pair(wl, wh, k, kd, sticky)
    fine = ((rh < INF) & (ph < INF)).named("fine")
    # NaN, or infinity times zero
    nan = (ph | (pl | (ql | qh).is0()).not0()) > INF
    return [sel(fine, rl, 0), sel(nan, NAN, sel(fine, rh, INF) | ((ah ^ bh) & SIGN))]


def normalise(l, xh, n):
    """(low, high with bit 20 set, biased exponent); a 0 becomes a junk normal."""
    s = sel(xh < 0x100000, clz64(l, xh) - 11, 0).named("up_" + n)
    ml, mh = shl64(l, xh, s)
    mh = mh.named("scaled_" + n)
    return ml.named("m" + n + "l"), ((mh & 0xFFFFF) | 0x100000).named("m" + n + "h"), ((mh >> 20) - s).named("e" + n)


def div(al, ah, bl, bh):
    xh = (ah & MAG).named("xh")
    yh = (bh & MAG).named("yh")
    Al, Ah, ea = normalise(al, xh, "a")
    Dl, Dh, eb = normalise(bl, yh, "b")
    less = (Ah < (Dh + (Al < Dl))).named("less")
    Bl = (Al << less).named("bl")
    Rl = (Bl - Dl).named("r0l")
    Rh = (((Ah << less) | ((Al >> 31) & less)) - Dh - (Bl < Dl)).named("r0h")
    Dt = ((Dh >> 4) + 1).named("dt")   # D >> 36, plus 1
    d0 = (Dl & 0xFFFF).named("d0")
    d1 = (Dl >> 16).named("d1")
    qs = []
    for i in range(1, 5):
        q = (((Rh << 10) | (Rl >> 22)) // Dt).named("q%d" % i)
        qs.append(q)
        sl = (Rl << 14).named("s%dl" % i)
        low = (q * Dl).named("p%dl" % i)
        hi = q * Dh + ((q * d1 + ((q * d0) >> 16)) >> 16)
        nRh = ((Rh << 14) | (Rl >> 18)) - hi - (sl < low)
        Rl = (sl - low).named("r%dl" % i)
        Rh = nRh.named("r%dh" % i)
    ge = (Rh >= (Dh + (Rl < Dl))).named("ge")
    sticky = sel(ge, (Rl ^ Dl) | (Rh ^ Dh), Rl | Rh)
    s34 = ((qs[2] << 14) + qs[3] + ge).named("s34")
    wl = ((qs[1] << 28) + s34).named("wl")
    wh = ((qs[0] << 10) + (qs[1] >> 4) + (wl < s34) + 0x1000000).named("wh")  # Q in [2^56, 2^57]
    kd = (eb + less - ea - const(1022 - 4)).named("low_shift")
    k = sel(kd.gts(4), kd, 4).named("k0")
    rl, rh = round_pair(wl, wh, k, kd, sticky)
    # Specials. zero: 0 / y, x / inf; infinite: x / 0, inf / y
    ax0 = (al | xh).is0()
    by0 = (bl | yh).is0()
    fi = (by0 | xh.ges(INF)).named("is_inf")
    fz = (ax0 | yh.ges(INF)).named("is_zero")
    nan = ((xh | al.not0()) > INF) | ((yh | bl.not0()) > INF) | (fi & fz)
    fine = ((rh < INF) & (fi | fz).is0()).named("fine")
    return [sel(fine, rl, 0), sel(nan, NAN, sel(fine, rh, sel(fz, 0, INF)) | ((ah ^ bh) & SIGN))]


def sqrt(l, h):
    ml, mh, e = normalise(l, (h & MAG).named("xh"), "a")
    # M = m << 8 (e odd) or m << 9 (e even): in [2^60, 2^62)
    s = (9 - (e & 1)).named("align")
    Ml = (ml << s).named("nl")
    N = ((mh << s) | (ml >> (32 - s))).named("nh")  # [2^28, 2^30)
    x0 = ((N >> 16) + 0x3555).named("x0")
    x1 = ((x0 + N // x0) >> 1).named("x1")
    s0 = ((x1 + N // x1) >> 1).named("root15")
    # Newton on 31 bits: y = (s0 * 2^16 + M / (s0 * 2^16)) / 2, less 4 so that it is not above the root
    q1 = N // s0
    q2 = (((N % s0) << 16) | (Ml >> 16)) // s0
    y = ((s0 << 16) + ((q1 - s0) << 15) + (q2 >> 1) - 4).named("y")
    # rho = M - y * y, below 2^36
    yl = (y & 0xFFFF).named("y0")
    yh = (y >> 16).named("y1")
    ll = yl * yl
    x = (yl * yh).named("ycross")
    y2h = yh * yh + (((x << 1) + (ll >> 16)) >> 16)  # x < 2^31
    y2l = (y * y).named("y2l")
    rl = (Ml - y2l).named("rhol")
    rh = (N - y2h - (Ml < y2l))
    d1 = (((rh << 28) | (rl >> 4)) // ((y >> 15) + 1)).named("d1")
    r2 = (rl << 11) - d1 * y
    d2 = r2 // ((y >> 14) + 1)
    q = (((d1 << 14) + d2 + 2) >> 2).named("tail")
    Sl = ((y << 24) + q).named("sl")
    Sh = ((y >> 8) + (Sl < q)).named("sh")
    # remainder M * 2^48 - S * S modulo 2^64
    l0 = (Sl & 0xFFFF).named("l0")
    l1 = (Sl >> 16).named("l1")
    xx = (l0 * l1).named("scross")
    S2l = (Sl * Sl).named("s2l")
    S2h = l1 * l1 + ((xx >> 16) << 1) + ((((xx & 0xFFFF) << 1) + ((l0 * l0) >> 16)) >> 16) + ((Sh * Sl) << 1)
    remh = ((Ml << 16) - S2h - S2l.not0()).named("rem")
    neg = (remh >> 31).named("above")
    Wl = (Sl - neg).named("wl")
    Wh = (Sh - (Sl < neg)).named("wh")
    st = remh | S2l
    rl, rhh = round_add(Wl, Wh, 2, (e + 1021) >> 1, st)
    # 0, -0 and infinity are their own roots
    fine = (((h | l.not0()) - 1) < (INF - 1)).named("fine")
    keep = ((h | l.not0()) <= INF) | ((h ^ SIGN) | l).is0()
    return [sel(fine, rl, 0), sel(fine, rhh, sel(keep, h, NAN))]


def is_nan(l, h):
    return ((h << 1) | l.not0()) > INF2


def feq(al, ah, bl, bh):
    return ((al ^ bl) | (ah ^ bh)).is0() | ((((ah | bh) << 1) | al) | bl).is0()


def eq(al, ah, bl, bh):
    # a NaN equals nothing: equal bits with a NaN are sorted out by a alone
    return [(((al ^ bl) | (ah ^ bh)).is0() & (((ah << 1) | al.not0()) <= INF2)) | ((((ah | bh) << 1) | al) | bl).is0()]


def ne(al, ah, bl, bh):
    return [(((al ^ bl) | (ah ^ bh)).not0() | (((ah << 1) | al.not0()) > INF2)) & ((((ah | bh) << 1) | al) | bl).not0()]


def ordered(al, ah, bl, bh, ua, ub, equal):
    """a < b, or a <= b, as signed 64-bit numbers; the complements when both are negative. Neither is NaN: a is not
    below -inf and b is not above +inf, and the rest follows."""
    n = (ah & bh).sar(31).named("n")
    nh = (n >> 1).named("nh")
    low = (al ^ n) <= (bl ^ n) if equal else (al ^ n) < (bl ^ n)
    return (ah ^ nh).lts((bh ^ nh) + low) & (ua <= 0xFFF00000) & ub.les(INF)


def lt(al, ah, bl, bh):
    ua = (ah | al.not0()).named("ua")
    # a = -0 becomes +0, so that it is not below b = +0
    return [ordered(al, sel(ua ^ SIGN, ah, 0).named("a"), bl, bh, ua, bh | bl.not0(), False)]


def le(al, ah, bl, bh):
    ub = (bh | bl.not0()).named("ub")
    # b = -0 becomes +0, so that a = +0 is not above it
    return [ordered(al, ah, bl, sel(ub ^ SIGN, bh, 0).named("b"), ah | al.not0(), ub, True)]


def minimum(al, ah, bl, bh, less=True):
    # as signed 64-bit numbers; the order of two negative floats is the other way round
    c = (ah.lts(bh + (al < bl)) ^ ((ah & bh) >> 31)).named("less")
    nan = (is_nan(al, ah) | is_nan(bl, bh)).named("nan")
    if less:
        lo, hi = sel(c, al, bl), sel(c, ah, bh)
    else:
        lo, hi = sel(c, bl, al), sel(c, bh, ah)
    return [sel(nan, 0, lo), sel(nan, NAN, hi)]


def masks(h):
    """Masks of the fraction bits (low, high) for exponents 1023 and up."""
    x = (h & MAG).named("xh")
    e = (x >> 20).named("e")
    # e in 1023..1042: high 0xFFFFF >> (e - 1023), low all; 1043..1074: high 0, low all >> (e - 1043); above: none
    mh = sel(e < 1043, const(0xFFFFF) >> (e - 1023), 0).named("mh")
    ml = sel(e < 1043, -1, sel(e < 1075, const(-1) >> (e - 1043), 0)).named("ml")
    return x, e, ml, mh


def trunc(l, h):
    x, e, ml, mh = masks(h)
    nan = ((x | l.not0()) > INF).named("nan")
    small = (e < 1023).named("small")
    rl = l & (ml ^ -1)
    rh = sel(small, h & SIGN, h & (mh ^ -1))
    return [sel(nan | small, 0, rl), sel(nan, NAN, rh)]


def toward(l, h, negative):
    x, e, ml, mh = masks(h)
    nan = ((x | l.not0()) > INF).named("nan")
    small = (e < 1023).named("small")
    g = (h.sar(31) if negative else h.sar(31) ^ -1).named("grow")
    sl = (l + (ml & g)).named("sl")
    bl = sl & (ml ^ -1)
    bh = (h + (mh & g) + (sl < l)) & (mh ^ -1)
    if negative:
        away = (h.sar(31) & ((h << 1) | l))
        sh = sel(away, 0xBFF00000, h & SIGN)
    else:
        away = ((h.sar(31) ^ -1) & (h | l))
        sh = sel(away, 0x3FF00000, h & SIGN)
    return [sel(nan | small, 0, bl), sel(nan, NAN, sel(small, sh, bh))]


def floor(l, h): return toward(l, h, True)
def ceil(l, h): return toward(l, h, False)


def nearest(l, h):
    x, e, ml, mh = masks(h)
    nan = ((x | l.not0()) > INF).named("nan")
    small = (e < 1023).named("small")
    # half - 1 = mask >> 1 over 64 bits
    hl = ((ml >> 1) | (mh << 31)).named("hl")
    hh = mh >> 1
    # odd: the bit above the mask: (mask + 1) & value
    # e < 1043: bit (1043 - e) of x; e = 1043: bit 0 of x; above: bit (1075 - e) of l
    odd = sel(e < 1044, x >> (1043 - e), sel(e < 1075, l >> (1075 - e), 0)) & 1
    s1 = (hl + odd)  # hl is odd-sized mask: no carry unless hl = all ones and odd
    s1 = s1.named("s1")
    sl = (l + s1).named("sl")
    carry = (sl < s1) + (s1 < odd)
    bl = sl & (ml ^ -1)
    bh = (x + hh + carry) & (mh ^ -1)
    up = (x + l.not0()) > 0x3FE00000
    sh = sel(up, 0x3FF00000, 0)
    return [sel(nan | small, 0, bl), sel(nan, NAN, sel(small, sh, bh) | (h & SIGN))]
