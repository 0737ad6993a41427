;; What canonical programs call. Everything is i32 and WebAssembly 1.0; runtime.cc appends the functions a
;; program needs, found by their export names.
;;
;; Integers are signed, 256 bits, eight i32 limbs in memory, least significant first. A value is a reduced
;; fraction: numerator at p, denominator > 0 at p + 32. Inside an operation numbers are naturals in
;; registers: {digit count: i32, digits: u16[38]}, without leading zeros, wide enough for the product of two
;; integers and a carry (33 digits). Digits of 16 bits are the halves of limbs and keep every partial
;; product and carry within an i32.
;;
;; Memory: 0 why a program refused (refusals.def), 4 where, 8 and 12 its operands; registers; three
;; fractions for partial results; from 2048 on the program's own values.
;; The parts of the module are naturals.wat, fractions.wat, integers.wat and lists.wat, in this order.

(memory (export "memory") 1 1)
;; Registers.
(global $A i32 (i32.const 64))
(global $B i32 (i32.const 144))
(global $C i32 (i32.const 224))
(global $D i32 (i32.const 304))
(global $E i32 (i32.const 384))
(global $F i32 (i32.const 464))
(global $X i32 (i32.const 544))
(global $W i32 (i32.const 624))
(global $G i32 (i32.const 704))   ;; greatest_common_divisor: its operands and result
(global $H i32 (i32.const 784))
(global $I i32 (i32.const 864))
(global $Q i32 (i32.const 944))   ;; quotients that are thrown away
(global $R i32 (i32.const 1024))  ;; remainders that are thrown away
(global $V i32 (i32.const 1104))  ;; divide_natural: the shifted divisor
;; Fractions.
(global $T i32 (i32.const 1216))
(global $U i32 (i32.const 1280))
(global $K i32 (i32.const 1344))

;; ---- refusals -------------------------------------------------------------------------------------

;; Says where the program is and on which operands it works.
(func $at (export "at") (param $place i32) (param $a i32) (param $b i32)
  (i32.store offset=4 (i32.const 0) (local.get $place))
  (call $operands (local.get $a) (local.get $b)))

(func $operands (param $a i32) (param $b i32)
  (i32.store offset=8 (i32.const 0) (local.get $a))
  (i32.store offset=12 (i32.const 0) (local.get $b)))

(func $refuse (param $why i32)
  (i32.store (i32.const 0) (local.get $why))
  (unreachable))

;; ---- naturals -------------------------------------------------------------------------------------

;; Sets the digit count to n without leading zeros.
(func $trim (param $r i32) (param $n i32)
  (block $done
    (loop $again
      (br_if $done (i32.eqz (local.get $n)))
      (br_if $done
        (i32.load16_u offset=2 (i32.add (local.get $r) (i32.shl (local.get $n) (i32.const 1)))))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $again)))
  (i32.store (local.get $r) (local.get $n)))

(func $set_word (param $r i32) (param $word i32)
  (i32.store offset=4 (local.get $r) (local.get $word))
  (call $trim (local.get $r) (i32.const 2)))

(func $is_one (param $r i32) (result i32)
  (i32.and (i32.eq (i32.load (local.get $r)) (i32.const 1))
           (i32.eq (i32.load16_u offset=4 (local.get $r)) (i32.const 1))))

(func $copy_natural (param $to i32) (param $from i32)
  (local $end i32)
  (local.set $end
    (i32.add (i32.add (local.get $from) (i32.const 4))
             (i32.shl (i32.load (local.get $from)) (i32.const 1))))
  (loop $again
    (i32.store (local.get $to) (i32.load (local.get $from)))
    (local.set $to (i32.add (local.get $to) (i32.const 4)))
    (local.set $from (i32.add (local.get $from) (i32.const 4)))
    (br_if $again (i32.lt_u (local.get $from) (local.get $end)))))

;; -1, 0 or 1.
(func $compare_natural (param $a i32) (param $b i32) (result i32)
  (local $n i32) (local $x i32) (local $y i32)
  (local.set $n (i32.load (local.get $a)))
  (local.set $y (i32.load (local.get $b)))
  (block $differ
    (br_if $differ (i32.ne (local.tee $x (local.get $n)) (local.get $y)))
    (loop $again
      (if (i32.eqz (local.get $n)) (then (return (i32.const 0))))
      (local.set $x
        (i32.load16_u offset=2 (i32.add (local.get $a) (i32.shl (local.get $n) (i32.const 1)))))
      (local.set $y
        (i32.load16_u offset=2 (i32.add (local.get $b) (i32.shl (local.get $n) (i32.const 1)))))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br_if $again (i32.eq (local.get $x) (local.get $y)))))
  (select (i32.const -1) (i32.const 1) (i32.lt_u (local.get $x) (local.get $y))))

;; to = a + b. `to` may be one of them.
(func $add_natural (param $to i32) (param $a i32) (param $b i32)
  (local $i i32) (local $n i32) (local $m i32) (local $carry i32)
  (if (i32.lt_u (i32.load (local.get $a)) (i32.load (local.get $b)))
    (then
      (local.set $i (local.get $a))
      (local.set $a (local.get $b))
      (local.set $b (local.get $i))))
  (local.set $n (i32.shl (i32.load (local.get $a)) (i32.const 1)))
  (local.set $m (i32.shl (i32.load (local.get $b)) (i32.const 1)))
  (local.set $i (i32.const 0))
  (block $long
    (loop $both
      (br_if $long (i32.ge_u (local.get $i) (local.get $m)))
      (local.set $carry
        (i32.add (local.get $carry)
          (i32.add (i32.load16_u offset=4 (i32.add (local.get $a) (local.get $i)))
                   (i32.load16_u offset=4 (i32.add (local.get $b) (local.get $i))))))
      (i32.store16 offset=4 (i32.add (local.get $to) (local.get $i)) (local.get $carry))
      (local.set $carry (i32.shr_u (local.get $carry) (i32.const 16)))
      (local.set $i (i32.add (local.get $i) (i32.const 2)))
      (br $both)))
  (block $done
    (loop $rest
      (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
      (local.set $carry
        (i32.add (local.get $carry)
                 (i32.load16_u offset=4 (i32.add (local.get $a) (local.get $i)))))
      (i32.store16 offset=4 (i32.add (local.get $to) (local.get $i)) (local.get $carry))
      (local.set $carry (i32.shr_u (local.get $carry) (i32.const 16)))
      (local.set $i (i32.add (local.get $i) (i32.const 2)))
      (br $rest)))
  (i32.store16 offset=4 (i32.add (local.get $to) (local.get $n)) (local.get $carry))
  (call $trim (local.get $to) (i32.add (i32.shr_u (local.get $n) (i32.const 1)) (i32.const 1))))

;; to = a - b, for a >= b. `to` may be one of them.
(func $subtract_natural (param $to i32) (param $a i32) (param $b i32)
  (local $i i32) (local $n i32) (local $m i32) (local $digit i32)
  (local.set $n (i32.shl (i32.load (local.get $a)) (i32.const 1)))
  (local.set $m (i32.shl (i32.load (local.get $b)) (i32.const 1)))
  (block $done
    (loop $again
      (br_if $done (i32.ge_u (local.get $i) (local.get $n)))
      ;; The last digit's sign is the borrow.
      (local.set $digit
        (i32.add (i32.shr_s (local.get $digit) (i32.const 31))
                 (i32.load16_u offset=4 (i32.add (local.get $a) (local.get $i)))))
      (if (i32.lt_u (local.get $i) (local.get $m))
        (then
          (local.set $digit
            (i32.sub (local.get $digit)
                     (i32.load16_u offset=4 (i32.add (local.get $b) (local.get $i)))))))
      (i32.store16 offset=4 (i32.add (local.get $to) (local.get $i)) (local.get $digit))
      (local.set $i (i32.add (local.get $i) (i32.const 2)))
      (br $again)))
  (call $trim (local.get $to) (i32.shr_u (local.get $n) (i32.const 1))))

;; to = a * b. `to` is neither of them.
(func $multiply_natural (param $to i32) (param $a i32) (param $b i32)
  (local $i i32) (local $j i32) (local $n i32) (local $m i32) (local $digit i32) (local $carry i32)
  (local.set $n (i32.shl (i32.load (local.get $a)) (i32.const 1)))
  (local.set $m (i32.shl (i32.load (local.get $b)) (i32.const 1)))
  (if (i32.eqz (i32.and (i32.ne (local.get $n) (i32.const 0)) (i32.ne (local.get $m) (i32.const 0))))
    (then
      (i32.store (local.get $to) (i32.const 0))
      (return)))
  (loop $zero
    (i32.store16 offset=4 (i32.add (local.get $to) (local.get $j)) (i32.const 0))
    (br_if $zero (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const 2))) (local.get $m))))
  (loop $rows
    (local.set $digit (i32.load16_u offset=4 (i32.add (local.get $a) (local.get $i))))
    (local.set $carry (i32.const 0))
    (local.set $j (i32.const 0))
    (loop $columns
      (local.set $carry
        (i32.add
          (i32.add (local.get $carry)
                   (i32.load16_u offset=4
                     (i32.add (local.get $to) (i32.add (local.get $i) (local.get $j)))))
          (i32.mul (local.get $digit)
                   (i32.load16_u offset=4 (i32.add (local.get $b) (local.get $j))))))
      (i32.store16 offset=4 (i32.add (local.get $to) (i32.add (local.get $i) (local.get $j)))
                            (local.get $carry))
      (local.set $carry (i32.shr_u (local.get $carry) (i32.const 16)))
      (br_if $columns
        (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const 2))) (local.get $m))))
    (i32.store16 offset=4 (i32.add (local.get $to) (i32.add (local.get $i) (local.get $m)))
                          (local.get $carry))
    (br_if $rows (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 2))) (local.get $n))))
  (call $trim (local.get $to) (i32.shr_u (i32.add (local.get $n) (local.get $m)) (i32.const 1))))

;; q = a / b and r = a mod b for a divisor of one digit.
(func $divide_by_digit (param $q i32) (param $r i32) (param $a i32) (param $b i32)
  (local $n i32) (local $rest i32) (local $divisor i32)
  (local.set $n (i32.load (local.get $a)))
  (local.set $divisor (i32.load16_u offset=4 (local.get $b)))
  (block $done
    (loop $again
      (br_if $done (i32.eqz (local.get $n)))
      (local.set $rest
        (i32.or (i32.shl (local.get $rest) (i32.const 16))
                (i32.load16_u offset=2
                  (i32.add (local.get $a) (i32.shl (local.get $n) (i32.const 1))))))
      (i32.store16 offset=2 (i32.add (local.get $q) (i32.shl (local.get $n) (i32.const 1)))
                            (i32.div_u (local.get $rest) (local.get $divisor)))
      (local.set $rest (i32.rem_u (local.get $rest) (local.get $divisor)))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $again)))
  (call $trim (local.get $q) (i32.load (local.get $a)))
  (call $set_word (local.get $r) (local.get $rest)))

;; to = from shifted left by s < 16 bits, with one digit more, which may be 0.
(func $shift_left (param $to i32) (param $from i32) (param $s i32)
  (local $i i32) (local $n i32) (local $carry i32)
  (local.set $n (i32.shl (i32.load (local.get $from)) (i32.const 1)))
  (loop $again
    (local.set $carry
      (i32.or (local.get $carry)
              (i32.shl (i32.load16_u offset=4 (i32.add (local.get $from) (local.get $i)))
                       (local.get $s))))
    (i32.store16 offset=4 (i32.add (local.get $to) (local.get $i)) (local.get $carry))
    (local.set $carry (i32.shr_u (local.get $carry) (i32.const 16)))
    (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 2))) (local.get $n))))
  (i32.store16 offset=4 (i32.add (local.get $to) (local.get $n)) (local.get $carry)))

;; The n digits of r shifted right by s < 16 bits, in place; digit n is read.
(func $shift_right (param $r i32) (param $n i32) (param $s i32)
  (local $p i32) (local $i i32)
  (local.set $p (i32.add (local.get $r) (i32.const 4)))
  (loop $again
    (i32.store16 (local.get $p)
      (i32.or (i32.shr_u (i32.load16_u (local.get $p)) (local.get $s))
              (i32.shl (i32.load16_u offset=2 (local.get $p))
                       (i32.sub (i32.const 16) (local.get $s)))))
    (local.set $p (i32.add (local.get $p) (i32.const 2)))
    (br_if $again
      (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
  (call $trim (local.get $r) (local.get $n)))

;; One digit of a quotient from the three top digits of the rest, at p, and the two of the divisor, at
;; v: exact or 1 too large (Knuth, The Art of Computer Programming 4.3.1, algorithm D).
(func $estimate (param $p i32) (param $v i32) (result i32)
  (local $q i32) (local $rest i32) (local $top i32)
  (local.set $rest (i32.load offset=2 (local.get $p)))
  (local.set $top (i32.load16_u offset=2 (local.get $v)))
  (local.set $q (i32.div_u (local.get $rest) (local.get $top)))
  (local.set $rest (i32.rem_u (local.get $rest) (local.get $top)))
  (block $done
    (loop $again
      (if (i32.le_u (local.get $q) (i32.const 0xFFFF))
        (then
          (br_if $done
            (i32.le_u (i32.mul (local.get $q) (i32.load16_u (local.get $v)))
                      (i32.or (i32.shl (local.get $rest) (i32.const 16))
                              (i32.load16_u (local.get $p)))))))
      (local.set $q (i32.sub (local.get $q) (i32.const 1)))
      (local.set $rest (i32.add (local.get $rest) (local.get $top)))
      (br_if $again (i32.le_u (local.get $rest) (i32.const 0xFFFF)))))
  (local.get $q))

;; The n digits (2n bytes) at u, and the one above them, minus q times those at v; whether that went
;; below 0.
(func $subtract_multiple (param $u i32) (param $v i32) (param $bytes i32) (param $q i32) (result i32)
  (local $i i32) (local $borrow i32) (local $product i32) (local $digit i32)
  (loop $again
    (local.set $product
      (i32.mul (local.get $q) (i32.load16_u (i32.add (local.get $v) (local.get $i)))))
    (local.set $digit
      (i32.sub (i32.sub (i32.load16_u (i32.add (local.get $u) (local.get $i))) (local.get $borrow))
               (i32.and (local.get $product) (i32.const 0xFFFF))))
    (i32.store16 (i32.add (local.get $u) (local.get $i)) (local.get $digit))
    (local.set $borrow
      (i32.sub (i32.shr_u (local.get $product) (i32.const 16))
               (i32.shr_s (local.get $digit) (i32.const 16))))
    (br_if $again
      (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 2))) (local.get $bytes))))
  (local.set $digit
    (i32.sub (i32.load16_u (i32.add (local.get $u) (local.get $i))) (local.get $borrow)))
  (i32.store16 (i32.add (local.get $u) (local.get $i)) (local.get $digit))
  (i32.lt_s (local.get $digit) (i32.const 0)))

;; Undoes one subtraction too many.
(func $add_back (param $u i32) (param $v i32) (param $bytes i32)
  (local $i i32) (local $carry i32)
  (loop $again
    (local.set $carry
      (i32.add (local.get $carry)
        (i32.add (i32.load16_u (i32.add (local.get $u) (local.get $i)))
                 (i32.load16_u (i32.add (local.get $v) (local.get $i))))))
    (i32.store16 (i32.add (local.get $u) (local.get $i)) (local.get $carry))
    (local.set $carry (i32.shr_u (local.get $carry) (i32.const 16)))
    (br_if $again
      (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 2))) (local.get $bytes))))
  (i32.store16 (i32.add (local.get $u) (local.get $i))
    (i32.add (i32.load16_u (i32.add (local.get $u) (local.get $i))) (local.get $carry))))

;; q = a / b, r = a mod b, for b > 0. q and r are other registers than a and b.
(func $divide_natural (param $q i32) (param $r i32) (param $a i32) (param $b i32)
  (local $n i32) (local $m i32) (local $j i32) (local $s i32) (local $digit i32) (local $v i32)
  (if (i32.lt_s (call $compare_natural (local.get $a) (local.get $b)) (i32.const 0))
    (then
      (i32.store (local.get $q) (i32.const 0))
      (call $copy_natural (local.get $r) (local.get $a))
      (return)))
  (local.set $m (i32.load (local.get $b)))
  (if (i32.eq (local.get $m) (i32.const 1))
    (then
      (call $divide_by_digit (local.get $q) (local.get $r) (local.get $a) (local.get $b))
      (return)))
  ;; Shift so that the divisor's top bit is set. r holds what is left of a.
  (local.set $n (i32.load (local.get $a)))
  (local.set $s
    (i32.sub (i32.clz (i32.load16_u offset=2
                        (i32.add (local.get $b) (i32.shl (local.get $m) (i32.const 1)))))
             (i32.const 16)))
  (call $shift_left (global.get $V) (local.get $b) (local.get $s))
  (call $shift_left (local.get $r) (local.get $a) (local.get $s))
  ;; The two top digits of the divisor.
  (local.set $v (i32.add (global.get $V) (i32.shl (local.get $m) (i32.const 1))))
  (local.set $j (i32.sub (local.get $n) (local.get $m)))
  (loop $digits
    (local.set $digit
      (call $estimate
        (i32.add (local.get $r) (i32.shl (i32.add (local.get $j) (local.get $m)) (i32.const 1)))
        (local.get $v)))
    (if (call $subtract_multiple
          (i32.add (i32.add (local.get $r) (i32.const 4)) (i32.shl (local.get $j) (i32.const 1)))
          (i32.add (global.get $V) (i32.const 4))
          (i32.shl (local.get $m) (i32.const 1))
          (local.get $digit))
      (then
        (local.set $digit (i32.sub (local.get $digit) (i32.const 1)))
        (call $add_back
          (i32.add (i32.add (local.get $r) (i32.const 4)) (i32.shl (local.get $j) (i32.const 1)))
          (i32.add (global.get $V) (i32.const 4))
          (i32.shl (local.get $m) (i32.const 1)))))
    (i32.store16 offset=4 (i32.add (local.get $q) (i32.shl (local.get $j) (i32.const 1)))
                          (local.get $digit))
    (br_if $digits
      (i32.ge_s (local.tee $j (i32.sub (local.get $j) (i32.const 1))) (i32.const 0))))
  (call $trim (local.get $q)
              (i32.add (i32.sub (local.get $n) (local.get $m)) (i32.const 1)))
  (call $shift_right (local.get $r) (local.get $m) (local.get $s)))

;; The greatest common divisor of a and b, in one of three registers that is returned; gcd(0, b) = b.
(func $greatest_common_divisor (param $a i32) (param $b i32) (result i32)
  (local $x i32) (local $y i32) (local $z i32) (local $t i32)
  (local.set $x (global.get $G))
  (local.set $y (global.get $H))
  (local.set $z (global.get $I))
  (call $copy_natural (local.get $x) (local.get $a))
  (call $copy_natural (local.get $y) (local.get $b))
  (block $done
    (loop $again
      (br_if $done (i32.eqz (i32.load (local.get $y))))
      (call $divide_natural (global.get $Q) (local.get $z) (local.get $x) (local.get $y))
      (local.set $t (local.get $x))
      (local.set $x (local.get $y))
      (local.set $y (local.get $z))
      (local.set $z (local.get $t))
      (br $again)))
  (local.get $x))

;; The same: gcd(x, y) = y = 0 ? x : gcd(y, x mod y). x, y and z are $G, $H and $I.
(func $gcd_of (param $x i32) (param $y i32) (param $z i32) (result i32)
  (if (result i32) (i32.load (local.get $y))
    (then
      (call $divide_natural (global.get $Q) (local.get $z) (local.get $x) (local.get $y))
      (call $gcd_of (local.get $y) (local.get $z) (local.get $x)))
    (else (local.get $x))))

;; Refuses what has more digits than 256 bits.
(func $check_size (param $r i32)
  (if (i32.gt_u (i32.load (local.get $r)) (i32.const 16)) (then (call $refuse (i32.const 1)))))
