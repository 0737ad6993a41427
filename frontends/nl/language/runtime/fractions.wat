;; Integers of 256 bits and reduced fractions of them.

;; ---- integers -------------------------------------------------------------------------------------

;; r = the magnitude of the integer at p; its sign, 0 or -1.
(func $unpack (param $r i32) (param $p i32) (result i32)
  (local $sign i32) (local $mask i32) (local $carry i32) (local $i i32)
  (local.set $sign (i32.shr_s (i32.load offset=28 (local.get $p)) (i32.const 31)))
  (local.set $mask (i32.and (local.get $sign) (i32.const 0xFFFF)))
  (local.set $carry (i32.and (local.get $sign) (i32.const 1)))
  (if (local.get $sign)
    (then
      (loop $digits
        (local.set $carry
          (i32.add (local.get $carry)
            (i32.xor (local.get $mask)
                     (i32.load16_u (i32.add (local.get $p) (local.get $i))))))
        (i32.store16 offset=4 (i32.add (local.get $r) (local.get $i)) (local.get $carry))
        (local.set $carry (i32.shr_u (local.get $carry) (i32.const 16)))
        (br_if $digits
          (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 2))) (i32.const 32)))))
    (else
      (local.set $mask (local.get $p))
      (local.set $carry (local.get $r))
      (loop $limbs
        (i32.store offset=4 (local.get $carry) (i32.load (local.get $mask)))
        (local.set $carry (i32.add (local.get $carry) (i32.const 4)))
        (local.set $mask (i32.add (local.get $mask) (i32.const 4)))
        (br_if $limbs
          (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (i32.const 32))))))
  (call $trim (local.get $r) (i32.const 16))
  (local.get $sign))

;; Whether a register of 16 digits is exactly 2^255.
(func $is_least (param $r i32) (result i32)
  (local $i i32) (local $bits i32)
  (loop $again
    (local.set $bits
      (i32.or (local.get $bits)
              (i32.load16_u offset=4 (i32.add (local.get $r) (local.get $i)))))
    (br_if $again
      (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 2))) (i32.const 30))))
  (i32.and (i32.eqz (local.get $bits))
           (i32.eq (i32.load16_u offset=34 (local.get $r)) (i32.const 0x8000))))

;; Refuses a magnitude that, with its sign, is no signed 256-bit integer.
(func $check_range (param $r i32) (param $sign i32)
  (call $check_size (local.get $r))
  (if (i32.ne (i32.load (local.get $r)) (i32.const 16)) (then (return)))
  (if (i32.lt_u (i32.load16_u offset=34 (local.get $r)) (i32.const 0x8000)) (then (return)))
  (if (local.get $sign)
    (then (if (call $is_least (local.get $r)) (then (return)))))
  (call $refuse (i32.const 1)))

;; Stores the magnitude in r with its sign as the integer at p. REQUIRES: check_range.
(func $pack (param $p i32) (param $r i32) (param $sign i32)
  (local $i i32) (local $n i32) (local $carry i32) (local $mask i32)
  (local.set $n (i32.shl (i32.load (local.get $r)) (i32.const 1)))
  (local.set $mask (i32.and (local.get $sign) (i32.const 0xFFFF)))
  (local.set $carry (i32.and (local.get $sign) (i32.const 1)))
  (loop $digits
    (if (i32.lt_u (local.get $i) (local.get $n))
      (then
        (local.set $carry
          (i32.add (local.get $carry)
            (i32.xor (local.get $mask)
                     (i32.load16_u offset=4 (i32.add (local.get $r) (local.get $i)))))))
      (else (local.set $carry (i32.add (local.get $carry) (local.get $mask)))))
    (i32.store16 (i32.add (local.get $p) (local.get $i)) (local.get $carry))
    (local.set $carry (i32.shr_u (local.get $carry) (i32.const 16)))
    (br_if $digits
      (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 2))) (i32.const 32)))))

;; ---- fractions ------------------------------------------------------------------------------------

(func $copy (export "copy") (param $to i32) (param $from i32)
  (local $end i32)
  (local.set $end (i32.add (local.get $from) (i32.const 64)))
  (loop $again
    (i32.store (local.get $to) (i32.load (local.get $from)))
    (local.set $to (i32.add (local.get $to) (i32.const 4)))
    (br_if $again
      (i32.lt_u (local.tee $from (i32.add (local.get $from) (i32.const 4))) (local.get $end)))))

;; The denominator of the fraction at p becomes 1.
(func $over_one (param $p i32)
  (i32.store offset=32 (local.get $p) (i32.const 1))
  (i32.store offset=36 (local.get $p) (i32.const 0))
  (i32.store offset=40 (local.get $p) (i32.const 0))
  (i32.store offset=44 (local.get $p) (i32.const 0))
  (i32.store offset=48 (local.get $p) (i32.const 0))
  (i32.store offset=52 (local.get $p) (i32.const 0))
  (i32.store offset=56 (local.get $p) (i32.const 0))
  (i32.store offset=60 (local.get $p) (i32.const 0)))

(func $set_int (param $p i32) (param $word i32)
  (local $sign i32)
  (local.set $sign (i32.shr_s (local.get $word) (i32.const 31)))
  (i32.store (local.get $p) (local.get $word))
  (i32.store offset=4 (local.get $p) (local.get $sign))
  (i32.store offset=8 (local.get $p) (local.get $sign))
  (i32.store offset=12 (local.get $p) (local.get $sign))
  (i32.store offset=16 (local.get $p) (local.get $sign))
  (i32.store offset=20 (local.get $p) (local.get $sign))
  (i32.store offset=24 (local.get $p) (local.get $sign))
  (i32.store offset=28 (local.get $p) (local.get $sign))
  (call $over_one (local.get $p)))

(func $is_true (export "is_true") (param $p i32) (result i32)
  (i32.or
    (i32.or (i32.or (i32.load (local.get $p)) (i32.load offset=4 (local.get $p)))
            (i32.or (i32.load offset=8 (local.get $p)) (i32.load offset=12 (local.get $p))))
    (i32.or (i32.or (i32.load offset=16 (local.get $p)) (i32.load offset=20 (local.get $p)))
            (i32.or (i32.load offset=24 (local.get $p)) (i32.load offset=28 (local.get $p))))))

;; Stores an integer.
(func $store_integer (param $p i32) (param $sign i32) (param $r i32)
  (call $check_range (local.get $r) (local.get $sign))
  (call $pack (local.get $p) (local.get $r) (local.get $sign))
  (call $over_one (local.get $p)))

;; Stores n / d, which share no factor.
(func $store_reduced (param $p i32) (param $sign i32) (param $n i32) (param $d i32)
  (call $check_range (local.get $n) (local.get $sign))
  (call $check_range (local.get $d) (i32.const 0))
  (call $pack (local.get $p) (local.get $n) (local.get $sign))
  (call $pack (i32.add (local.get $p) (i32.const 32)) (local.get $d) (i32.const 0)))

;; Stores n / d in lowest terms. n and d are none of $A to $D, whose values are lost.
(func $store (param $p i32) (param $sign i32) (param $n i32) (param $d i32)
  (local $divisor i32)
  (if (call $is_one (local.get $d))
    (then
      (call $store_integer (local.get $p) (local.get $sign) (local.get $n))
      (return)))
  (local.set $divisor (call $greatest_common_divisor (local.get $n) (local.get $d)))
  (if (i32.eqz (call $is_one (local.get $divisor)))
    (then
      (call $divide_natural (global.get $A) (global.get $R) (local.get $n) (local.get $divisor))
      (call $divide_natural (global.get $B) (global.get $R) (local.get $d) (local.get $divisor))
      (local.set $n (global.get $A))
      (local.set $d (global.get $B))))
  (call $store_reduced (local.get $p) (local.get $sign) (local.get $n) (local.get $d)))

;; $X = x + y with these signs; the sum's sign.
(func $add_signed (param $x i32) (param $sx i32) (param $y i32) (param $sy i32) (result i32)
  (if (i32.eq (local.get $sx) (local.get $sy))
    (then
      (call $add_natural (global.get $X) (local.get $x) (local.get $y))
      (return (local.get $sx))))
  (if (result i32) (i32.lt_s (call $compare_natural (local.get $x) (local.get $y)) (i32.const 0))
    (then
      (call $subtract_natural (global.get $X) (local.get $y) (local.get $x))
      (local.get $sy))
    (else
      (call $subtract_natural (global.get $X) (local.get $x) (local.get $y))
      (local.get $sx))))

;; p = a + b, or a - b for flip = -1. The products it is formed from have 510 bits at most, so only
;; what does not fit in lowest terms is refused.
(func $combine (param $p i32) (param $a i32) (param $b i32) (param $flip i32)
  (local $sa i32) (local $sb i32)
  (local.set $sa (call $unpack (global.get $A) (local.get $a)))
  (local.set $sb (i32.xor (local.get $flip) (call $unpack (global.get $C) (local.get $b))))
  (drop (call $unpack (global.get $B) (i32.add (local.get $a) (i32.const 32))))
  (drop (call $unpack (global.get $D) (i32.add (local.get $b) (i32.const 32))))
  (if (i32.and (call $is_one (global.get $B)) (call $is_one (global.get $D)))
    (then
      (local.set $sa
        (call $add_signed (global.get $A) (local.get $sa) (global.get $C) (local.get $sb)))
      (call $store_integer (local.get $p) (local.get $sa) (global.get $X))
      (return)))
  (call $multiply_natural (global.get $E) (global.get $A) (global.get $D))
  (call $multiply_natural (global.get $F) (global.get $C) (global.get $B))
  (call $multiply_natural (global.get $W) (global.get $B) (global.get $D))
  (local.set $sa
    (call $add_signed (global.get $E) (local.get $sa) (global.get $F) (local.get $sb)))
  (call $store (local.get $p) (local.get $sa) (global.get $X) (global.get $W)))

(func $add (export "add") (param $p i32) (param $a i32) (param $b i32)
  (call $combine (local.get $p) (local.get $a) (local.get $b) (i32.const 0)))

(func $subtract (export "subtract") (param $p i32) (param $a i32) (param $b i32)
  (call $combine (local.get $p) (local.get $a) (local.get $b) (i32.const -1)))

;; $A / $B = a, $C / $D = b; -1 if their signs differ.
(func $unpack_both (param $a i32) (param $b i32) (result i32)
  (drop (call $unpack (global.get $B) (i32.add (local.get $a) (i32.const 32))))
  (drop (call $unpack (global.get $D) (i32.add (local.get $b) (i32.const 32))))
  (i32.xor (call $unpack (global.get $A) (local.get $a))
           (call $unpack (global.get $C) (local.get $b))))

(func $multiply (export "multiply") (param $p i32) (param $a i32) (param $b i32)
  (local $sign i32)
  (local.set $sign (call $unpack_both (local.get $a) (local.get $b)))
  (call $multiply_natural (global.get $E) (global.get $A) (global.get $C))
  (call $multiply_natural (global.get $W) (global.get $B) (global.get $D))
  (call $store (local.get $p) (local.get $sign) (global.get $E) (global.get $W)))

;; $E / $F = the magnitude of a / b, not reduced; -1 if it is negative.
(func $ratio (param $a i32) (param $b i32) (result i32)
  (local $sign i32)
  (local.set $sign (call $unpack_both (local.get $a) (local.get $b)))
  (if (i32.eqz (i32.load (global.get $C))) (then (call $refuse (i32.const 2))))
  (call $multiply_natural (global.get $E) (global.get $A) (global.get $D))
  (call $multiply_natural (global.get $F) (global.get $C) (global.get $B))
  (local.get $sign))

(func $divide (export "divide") (param $p i32) (param $a i32) (param $b i32)
  (call $store (local.get $p) (call $ratio (local.get $a) (local.get $b))
               (global.get $E) (global.get $F)))

(func $quotient (export "quotient") (param $p i32) (param $a i32) (param $b i32)
  (local $sign i32)
  (local.set $sign (call $ratio (local.get $a) (local.get $b)))
  (call $divide_natural (global.get $X) (global.get $W) (global.get $E) (global.get $F))
  (call $store_integer (local.get $p) (local.get $sign) (global.get $X)))

;; a - b * quotient, which is the rest of that division over both denominators.
(func $remainder (export "remainder") (param $p i32) (param $a i32) (param $b i32)
  (drop (call $ratio (local.get $a) (local.get $b)))
  (call $divide_natural (global.get $X) (global.get $W) (global.get $E) (global.get $F))
  (call $multiply_natural (global.get $E) (global.get $B) (global.get $D))
  (call $store (local.get $p) (i32.shr_s (i32.load offset=28 (local.get $a)) (i32.const 31))
               (global.get $W) (global.get $E)))

;; -1, 0 or 1.
(func $compare (param $a i32) (param $b i32) (result i32)
  (local $sign i32)
  (local.set $sign (i32.shr_s (i32.load offset=28 (local.get $a)) (i32.const 31)))
  (if (call $unpack_both (local.get $a) (local.get $b))
    (then (return (i32.or (local.get $sign) (i32.const 1)))))
  (call $multiply_natural (global.get $E) (global.get $A) (global.get $D))
  (call $multiply_natural (global.get $F) (global.get $C) (global.get $B))
  (i32.sub
    (i32.xor (call $compare_natural (global.get $E) (global.get $F)) (local.get $sign))
    (local.get $sign)))

(func $is_equal (export "is_equal") (param $p i32) (param $a i32) (param $b i32)
  (call $set_int (local.get $p) (i32.eqz (call $compare (local.get $a) (local.get $b)))))
(func $is_not_equal (export "is_not_equal") (param $p i32) (param $a i32) (param $b i32)
  (call $set_int (local.get $p)
    (i32.ne (call $compare (local.get $a) (local.get $b)) (i32.const 0))))
(func $is_less (export "is_less") (param $p i32) (param $a i32) (param $b i32)
  (call $set_int (local.get $p)
    (i32.lt_s (call $compare (local.get $a) (local.get $b)) (i32.const 0))))
(func $is_less_equal (export "is_less_equal") (param $p i32) (param $a i32) (param $b i32)
  (call $set_int (local.get $p)
    (i32.le_s (call $compare (local.get $a) (local.get $b)) (i32.const 0))))
(func $is_greater (export "is_greater") (param $p i32) (param $a i32) (param $b i32)
  (call $set_int (local.get $p)
    (i32.gt_s (call $compare (local.get $a) (local.get $b)) (i32.const 0))))
(func $is_greater_equal (export "is_greater_equal") (param $p i32) (param $a i32) (param $b i32)
  (call $set_int (local.get $p)
    (i32.ge_s (call $compare (local.get $a) (local.get $b)) (i32.const 0))))

;; p = the magnitude of a with this sign.
(func $with_sign (param $p i32) (param $a i32) (param $sign i32)
  (call $check_range (global.get $A) (local.get $sign))
  (call $copy (local.get $p) (local.get $a))
  (call $pack (local.get $p) (global.get $A) (local.get $sign)))

(func $negate (export "negate") (param $p i32) (param $a i32)
  (call $with_sign (local.get $p) (local.get $a)
    (i32.xor (i32.const -1) (call $unpack (global.get $A) (local.get $a)))))

(func $absolute (export "absolute") (param $p i32) (param $a i32)
  (drop (call $unpack (global.get $A) (local.get $a)))
  (call $with_sign (local.get $p) (local.get $a) (i32.const 0)))

;; p = a rounded away from 0 where its sign is `away`, else toward 0.
(func $round (param $p i32) (param $a i32) (param $away i32)
  (local $sign i32)
  (local.set $sign (call $unpack (global.get $A) (local.get $a)))
  (drop (call $unpack (global.get $B) (i32.add (local.get $a) (i32.const 32))))
  (call $divide_natural (global.get $X) (global.get $W) (global.get $A) (global.get $B))
  (if (i32.and (i32.eq (local.get $sign) (local.get $away))
               (i32.ne (i32.load (global.get $W)) (i32.const 0)))
    (then
      (call $set_word (global.get $C) (i32.const 1))
      (call $add_natural (global.get $X) (global.get $X) (global.get $C))))
  (call $store_integer (local.get $p) (local.get $sign) (global.get $X)))

(func $floor (export "floor") (param $p i32) (param $a i32)
  (call $round (local.get $p) (local.get $a) (i32.const -1)))

(func $ceil (export "ceil") (param $p i32) (param $a i32)
  (call $round (local.get $p) (local.get $a) (i32.const 0)))
