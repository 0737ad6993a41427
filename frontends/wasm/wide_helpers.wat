;; What an i64 instruction calls when it takes more than a few word instructions. legalize.cc parses
;; this text and appends the functions a module needs. An i64 x is the words xl (low) and xh (high).
(module
  ;; The high word of al * bl from 16-bit halves; no partial sum exceeds 32 bits.
  (func $i64.mul (param $al i32) (param $ah i32) (param $bl i32) (param $bh i32) (result i32 i32)
    (local $a1 i32) (local $b0 i32) (local $b1 i32) (local $low i32) (local $middle i32)
    (local.set $a1 (i32.shr_u (local.get $al) (i32.const 16)))
    (local.set $b1 (i32.shr_u (local.get $bl) (i32.const 16)))
    (local.set $b0 (i32.and (local.get $bl) (i32.const 0xFFFF)))
    (local.set $low (i32.and (local.get $al) (i32.const 0xFFFF)))
    (local.set $middle
      (i32.add (i32.mul (local.get $a1) (local.get $b0))
               (i32.shr_u (i32.mul (local.get $low) (local.get $b0)) (i32.const 16))))
    (i32.mul (local.get $al) (local.get $bl))
    (i32.add
      (i32.add (i32.mul (local.get $al) (local.get $bh)) (i32.mul (local.get $ah) (local.get $bl)))
      (i32.add
        (i32.add (i32.mul (local.get $a1) (local.get $b1))
                 (i32.shr_u (local.get $middle) (i32.const 16)))
        (i32.shr_u (i32.add (i32.and (local.get $middle) (i32.const 0xFFFF))
                            (i32.mul (local.get $low) (local.get $b1)))
                   (i32.const 16)))))

  ;; One 16-bit digit of a quotient: (h * 65536 + next) / d and its remainder, for h < d and the top
  ;; bit of d set. The estimate from the upper half of d is at most 2 too large (Knuth, 4.3.1).
  (func $digit (param $h i32) (param $next i32) (param $d i32) (result i32 i32)
    (local $d1 i32) (local $q i32) (local $r i32)
    (local.set $d1 (i32.shr_u (local.get $d) (i32.const 16)))
    (local.set $q (i32.div_u (local.get $h) (local.get $d1)))
    (local.set $r (i32.sub (local.get $h) (i32.mul (local.get $q) (local.get $d1))))
    (block $done
      (loop $again
        (if (i32.le_u (local.get $q) (i32.const 0xFFFF))
          (then
            (br_if $done
              (i32.le_u (i32.mul (local.get $q) (i32.and (local.get $d) (i32.const 0xFFFF)))
                        (i32.or (i32.shl (local.get $r) (i32.const 16)) (local.get $next))))))
        (local.set $q (i32.sub (local.get $q) (i32.const 1)))
        (local.set $r (i32.add (local.get $r) (local.get $d1)))
        (br_if $again (i32.le_u (local.get $r) (i32.const 0xFFFF)))))
    (local.get $q)
    (i32.sub (i32.or (i32.shl (local.get $h) (i32.const 16)) (local.get $next))
             (i32.mul (local.get $q) (local.get $d))))

  ;; (h * 2^32 + l) / d and its remainder, for h < d.
  (func $divide_by_word (param $h i32) (param $l i32) (param $d i32) (result i32 i32)
    (local $s i32) (local $q i32) (local $r i32)
    (if (i32.le_u (local.get $d) (i32.const 0xFFFF))
      (then
        (local.set $h (i32.or (i32.shl (local.get $h) (i32.const 16))
                              (i32.shr_u (local.get $l) (i32.const 16))))
        (local.set $q (i32.div_u (local.get $h) (local.get $d)))
        (local.set $r (i32.sub (local.get $h) (i32.mul (local.get $q) (local.get $d))))
        (local.set $h (i32.or (i32.shl (local.get $r) (i32.const 16))
                              (i32.and (local.get $l) (i32.const 0xFFFF))))
        (local.set $r (i32.div_u (local.get $h) (local.get $d)))
        (i32.or (i32.shl (local.get $q) (i32.const 16)) (local.get $r))
        (i32.sub (local.get $h) (i32.mul (local.get $r) (local.get $d)))
        (return)))
    (local.set $s (i32.clz (local.get $d)))
    (local.set $d (i32.shl (local.get $d) (local.get $s)))
    (local.set $h
      (i32.or (i32.shl (local.get $h) (local.get $s))
              (i32.shr_u (i32.shr_u (local.get $l) (i32.const 1))
                         (i32.xor (local.get $s) (i32.const 31)))))
    (local.set $l (i32.shl (local.get $l) (local.get $s)))
    (call $digit (local.get $h) (i32.shr_u (local.get $l) (i32.const 16)) (local.get $d))
    (local.set $r)
    (local.set $q)
    (call $digit (local.get $r) (i32.and (local.get $l) (i32.const 0xFFFF)) (local.get $d))
    (local.set $r)
    (local.set $l)
    (i32.or (i32.shl (local.get $q) (i32.const 16)) (local.get $l))
    (i32.shr_u (local.get $r) (local.get $s)))

  ;; a / b and a mod b, unsigned. Traps for b = 0.
  (func $divide (param $al i32) (param $ah i32) (param $bl i32) (param $bh i32)
                (result i32 i32 i32 i32)
    (local $s i32) (local $q i32) (local $pl i32) (local $ph i32)
    (if (i32.eqz (local.get $bh))
      (then
        (if (i32.eqz (local.get $ah))
          (then
            (i32.div_u (local.get $al) (local.get $bl))
            (i32.const 0)
            (i32.rem_u (local.get $al) (local.get $bl))
            (i32.const 0)
            (return)))
        (local.set $q (i32.div_u (local.get $ah) (local.get $bl)))
        (call $divide_by_word
          (i32.sub (local.get $ah) (i32.mul (local.get $q) (local.get $bl)))
          (local.get $al) (local.get $bl))
        (local.set $s)
        (local.get $q)
        (local.get $s)
        (i32.const 0)
        (return)))  ;; the quotient's low word is below them
    (if (i32.lt_u (local.get $ah) (local.get $bh))
      (then
        (i32.const 0)
        (i32.const 0)
        (local.get $al)
        (local.get $ah)
        (return)))
    ;; b >= 2^32: the quotient is one word. Estimate it from a / 2 and the top word of b: the result
    ;; is exact or 1 too large, so take 1 less and correct once.
    (local.set $s (i32.clz (local.get $bh)))
    (call $divide_by_word
      (i32.shr_u (local.get $ah) (i32.const 1))
      (i32.or (i32.shr_u (local.get $al) (i32.const 1)) (i32.shl (local.get $ah) (i32.const 31)))
      (i32.or (i32.shl (local.get $bh) (local.get $s))
              (i32.shr_u (i32.shr_u (local.get $bl) (i32.const 1))
                         (i32.xor (local.get $s) (i32.const 31)))))
    (drop)
    (local.set $q)
    (local.set $q (i32.shr_u (local.get $q) (i32.xor (local.get $s) (i32.const 31))))
    (local.set $q (i32.sub (local.get $q) (i32.ne (local.get $q) (i32.const 0))))
    (call $i64.mul (local.get $q) (i32.const 0) (local.get $bl) (local.get $bh))
    (local.set $ph)
    (local.set $pl)
    (local.set $ph (i32.sub (i32.sub (local.get $ah) (local.get $ph))
                            (i32.lt_u (local.get $al) (local.get $pl))))
    (local.set $pl (i32.sub (local.get $al) (local.get $pl)))
    (local.set $s
      (select (i32.ge_u (local.get $pl) (local.get $bl))
              (i32.gt_u (local.get $ph) (local.get $bh))
              (i32.eq (local.get $ph) (local.get $bh))))
    (i32.add (local.get $q) (local.get $s))
    (i32.const 0)
    (if (result i32 i32) (local.get $s)
      (then
        (i32.sub (local.get $pl) (local.get $bl))
        (i32.sub (i32.sub (local.get $ph) (local.get $bh))
                 (i32.lt_u (local.get $pl) (local.get $bl))))
      (else (local.get $pl) (local.get $ph))))

  (func $i64.div_u (param $al i32) (param $ah i32) (param $bl i32) (param $bh i32) (result i32 i32)
    (call $divide (local.get $al) (local.get $ah) (local.get $bl) (local.get $bh))
    (drop)
    (drop))

  (func $i64.rem_u (param $al i32) (param $ah i32) (param $bl i32) (param $bh i32) (result i32 i32)
    (call $divide (local.get $al) (local.get $ah) (local.get $bl) (local.get $bh))
    (local.set $ah)
    (local.set $al)
    (drop)
    (drop)
    (local.get $al)
    (local.get $ah))

  ;; -x if `sign` is negative, else x.
  (func $negate_if (param $l i32) (param $h i32) (param $sign i32) (result i32 i32)
    (if (i32.lt_s (local.get $sign) (i32.const 0))
      (then
        (local.set $h (i32.add (i32.xor (local.get $h) (i32.const -1)) (i32.eqz (local.get $l))))
        (local.set $l (i32.sub (i32.const 0) (local.get $l)))))
    (local.get $l)
    (local.get $h))

  ;; |a| / |b| and |a| mod |b|.
  (func $divide_magnitudes (param $al i32) (param $ah i32) (param $bl i32) (param $bh i32)
                           (result i32 i32 i32 i32)
    (call $negate_if (local.get $al) (local.get $ah) (local.get $ah))
    (call $negate_if (local.get $bl) (local.get $bh) (local.get $bh))
    (call $divide))

  ;; Traps for b = 0 and for the least a and b = -1.
  (func $i64.div_s (param $al i32) (param $ah i32) (param $bl i32) (param $bh i32) (result i32 i32)
    (if (i32.and (i32.and (i32.eqz (local.get $al))
                          (i32.eq (local.get $ah) (i32.const 0x80000000)))
                 (i32.eq (i32.and (local.get $bl) (local.get $bh)) (i32.const -1)))
      (then (drop (i32.div_s (local.get $ah) (local.get $bh)))))
    (call $divide_magnitudes (local.get $al) (local.get $ah) (local.get $bl) (local.get $bh))
    (drop)
    (drop)
    (i32.xor (local.get $ah) (local.get $bh))
    (call $negate_if))

  (func $i64.rem_s (param $al i32) (param $ah i32) (param $bl i32) (param $bh i32) (result i32 i32)
    (call $divide_magnitudes (local.get $al) (local.get $ah) (local.get $bl) (local.get $bh))
    (local.set $bh)
    (local.set $bl)
    (drop)
    (drop)
    (call $negate_if (local.get $bl) (local.get $bh) (local.get $ah)))

  ;; Shifts use the count modulo 64. A word's bits that cross over are (x >> 1) >> (31 - n mod 32),
  ;; which is 0 for n = 0.
  (func $i64.shl (param $l i32) (param $h i32) (param $n i32) (param $unused i32) (result i32 i32)
    (if (result i32 i32) (i32.and (local.get $n) (i32.const 32))
      (then (i32.const 0) (i32.shl (local.get $l) (local.get $n)))
      (else
        (i32.shl (local.get $l) (local.get $n))
        (i32.or (i32.shl (local.get $h) (local.get $n))
                (i32.shr_u (i32.shr_u (local.get $l) (i32.const 1))
                           (i32.xor (local.get $n) (i32.const -1)))))))

  (func $i64.shr_u (param $l i32) (param $h i32) (param $n i32) (param $unused i32) (result i32 i32)
    (if (result i32 i32) (i32.and (local.get $n) (i32.const 32))
      (then (i32.shr_u (local.get $h) (local.get $n)) (i32.const 0))
      (else
        (i32.or (i32.shr_u (local.get $l) (local.get $n))
                (i32.shl (i32.shl (local.get $h) (i32.const 1))
                         (i32.xor (local.get $n) (i32.const -1))))
        (i32.shr_u (local.get $h) (local.get $n)))))

  (func $i64.shr_s (param $l i32) (param $h i32) (param $n i32) (param $unused i32) (result i32 i32)
    (if (result i32 i32) (i32.and (local.get $n) (i32.const 32))
      (then
        (i32.shr_s (local.get $h) (local.get $n))
        (i32.shr_s (local.get $h) (i32.const 31)))
      (else
        (i32.or (i32.shr_u (local.get $l) (local.get $n))
                (i32.shl (i32.shl (local.get $h) (i32.const 1))
                         (i32.xor (local.get $n) (i32.const -1))))
        (i32.shr_s (local.get $h) (local.get $n)))))

  (func $i64.clz (param $l i32) (param $h i32) (result i32 i32)
    (select (i32.clz (local.get $h))
            (i32.add (i32.clz (local.get $l)) (i32.const 32))
            (local.get $h))
    (i32.const 0))

  (func $i64.ctz (param $l i32) (param $h i32) (result i32 i32)
    (select (i32.ctz (local.get $l))
            (i32.add (i32.ctz (local.get $h)) (i32.const 32))
            (local.get $l))
    (i32.const 0))

  (func $i64.popcnt (param $l i32) (param $h i32) (result i32 i32)
    (i32.add (i32.popcnt (local.get $l)) (i32.popcnt (local.get $h)))
    (i32.const 0)))
