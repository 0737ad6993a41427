;; What only integers have: factorials, Fibonacci numbers, powers; ranges.

;; ---- integers only --------------------------------------------------------------------------------

;; r = the magnitude of the fraction at p, which must be an integer; its sign.
(func $unpack_integer (param $r i32) (param $p i32) (result i32)
  (drop (call $unpack (local.get $r) (i32.add (local.get $p) (i32.const 32))))
  (if (i32.eqz (call $is_one (local.get $r)))
    (then
      (call $operands (local.get $p) (local.get $p))
      (call $refuse (i32.const 3))))
  (call $unpack (local.get $r) (local.get $p)))

;; Whether a register holds a word below 2^31 - 1.
(func $is_small (param $r i32) (result i32)
  (if (i32.gt_u (i32.load (local.get $r)) (i32.const 2)) (then (return (i32.const 0))))
  (i32.lt_u (call $word (local.get $r)) (i32.const 0x7FFFFFFF)))

;; The value of a register of at most two digits.
(func $word (param $r i32) (result i32)
  (if (result i32) (i32.eq (i32.load (local.get $r)) (i32.const 2))
    (then (i32.load offset=4 (local.get $r)))
    (else
      (if (result i32) (i32.load (local.get $r))
        (then (i32.load16_u offset=4 (local.get $r)))
        (else (i32.const 0))))))

;; The integer at p, which must not be negative. One too large for a word asks for what no 256 bits
;; hold.
(func $natural (param $p i32) (result i32)
  (if (call $unpack_integer (global.get $A) (local.get $p)) (then (call $refuse (i32.const 4))))
  (if (i32.eqz (call $is_small (global.get $A))) (then (call $refuse (i32.const 1))))
  (call $word (global.get $A)))

;; x = x * y through $F.
(func $multiply_into (param $x i32) (param $y i32)
  (call $multiply_natural (global.get $F) (local.get $x) (local.get $y))
  (call $check_size (global.get $F))
  (call $copy_natural (local.get $x) (global.get $F)))

(func $factorial (export "factorial") (param $p i32) (param $a i32)
  (local $n i32) (local $k i32)
  (local.set $n (call $natural (local.get $a)))
  (call $set_word (global.get $X) (i32.const 1))
  (local.set $k (i32.const 2))
  (block $done
    (loop $again
      (br_if $done (i32.gt_u (local.get $k) (local.get $n)))
      (call $set_word (global.get $C) (local.get $k))
      (call $multiply_into (global.get $X) (global.get $C))
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br $again)))
  (call $store_integer (local.get $p) (i32.const 0) (global.get $X)))

;; $X = n * (n - 1) * ... down to 1: n! = n < 2 ? 1 : n * (n - 1)!
(func $factorial_of (param $n i32)
  (if (i32.lt_u (local.get $n) (i32.const 2))
    (then (call $set_word (global.get $X) (i32.const 1)))
    (else
      (call $factorial_of (i32.sub (local.get $n) (i32.const 1)))
      (call $set_word (global.get $C) (local.get $n))
      (call $multiply_into (global.get $X) (global.get $C)))))

(func $factorial_recursive (export "factorial_recursive") (param $p i32) (param $a i32)
  (local $n i32)
  (local.set $n (call $natural (local.get $a)))
  ;; 58! has 260 bits: no deeper recursion can end in an answer.
  (if (i32.gt_u (local.get $n) (i32.const 57)) (then (call $refuse (i32.const 1))))
  (call $factorial_of (local.get $n))
  (call $store_integer (local.get $p) (i32.const 0) (global.get $X)))

(func $fibonacci (export "fibonacci") (param $p i32) (param $a i32)
  (local $n i32) (local $x i32) (local $y i32) (local $t i32)
  (local.set $n (call $natural (local.get $a)))
  (local.set $x (global.get $C))
  (local.set $y (global.get $D))
  (call $set_word (local.get $x) (i32.const 0))
  (call $set_word (local.get $y) (i32.const 1))
  (block $done
    (loop $again
      (br_if $done (i32.eqz (local.get $n)))
      (call $add_natural (local.get $x) (local.get $x) (local.get $y))
      (call $check_size (local.get $x))
      (local.set $t (local.get $x))
      (local.set $x (local.get $y))
      (local.set $y (local.get $t))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $again)))
  (call $store_integer (local.get $p) (i32.const 0) (local.get $x)))

;; The n-th number of the sequence that begins x, y: n = 0 ? x : the (n - 1)-th of y, x + y.
(func $fibonacci_from (param $n i32) (param $x i32) (param $y i32) (result i32)
  (if (i32.eqz (local.get $n)) (then (return (local.get $x))))
  (call $add_natural (local.get $x) (local.get $x) (local.get $y))
  (call $check_size (local.get $x))
  (call $fibonacci_from (i32.sub (local.get $n) (i32.const 1)) (local.get $y) (local.get $x)))

(func $fibonacci_recursive (export "fibonacci_recursive") (param $p i32) (param $a i32)
  (local $n i32)
  (local.set $n (call $natural (local.get $a)))
  (call $set_word (global.get $C) (i32.const 0))
  (call $set_word (global.get $D) (i32.const 1))
  (call $store_integer (local.get $p) (i32.const 0)
    (call $fibonacci_from (local.get $n) (global.get $C) (global.get $D))))

;; x = base^e. base is kept; $E is lost. Squares only what a later bit needs, so that a square too
;; large means a result too large.
(func $power_of (param $x i32) (param $base i32) (param $e i32)
  (call $set_word (local.get $x) (i32.const 1))
  (call $copy_natural (global.get $E) (local.get $base))
  (block $done
    (loop $again
      (if (i32.and (local.get $e) (i32.const 1))
        (then (call $multiply_into (local.get $x) (global.get $E))))
      (br_if $done (i32.eqz (local.tee $e (i32.shr_u (local.get $e) (i32.const 1)))))
      (call $multiply_into (global.get $E) (global.get $E))
      (br $again))))

;; The same: base^e = e = 0 ? 1 : (base^(e / 2))^2 * base^(e mod 2)
(func $power_recursive_of (param $x i32) (param $base i32) (param $e i32)
  (if (i32.eqz (local.get $e))
    (then (call $set_word (local.get $x) (i32.const 1)))
    (else
      (call $power_recursive_of (local.get $x) (local.get $base)
                                (i32.shr_u (local.get $e) (i32.const 1)))
      (call $multiply_into (local.get $x) (local.get $x))
      (if (i32.and (local.get $e) (i32.const 1))
        (then (call $multiply_into (local.get $x) (local.get $base)))))))

;; The exponent for the fraction $A / $B: that of the register $C, or one of the same parity if it is
;; no word and only 1 and -1 have such powers.
(func $exponent (result i32)
  (if (call $is_small (global.get $C)) (then (return (call $word (global.get $C)))))
  (if (i32.eqz (i32.and (call $is_one (global.get $A)) (call $is_one (global.get $B))))
    (then
      (if (i32.load (global.get $A)) (then (call $refuse (i32.const 1))))))
  (i32.or (i32.and (i32.load16_u offset=4 (global.get $C)) (i32.const 1)) (i32.const 2)))

;; Stores ($X / $W) or its inverse with the sign that base's sign and e make.
(func $store_power (param $p i32) (param $sign i32) (param $e i32) (param $inverse i32)
  (local.set $sign (i32.and (local.get $sign)
                            (i32.sub (i32.const 0) (i32.and (local.get $e) (i32.const 1)))))
  (if (i32.eqz (local.get $inverse))
    (then
      (call $store_reduced (local.get $p) (local.get $sign) (global.get $X) (global.get $W))
      (return)))
  (if (i32.eqz (i32.load (global.get $X))) (then (call $refuse (i32.const 2))))
  (call $store_reduced (local.get $p) (local.get $sign) (global.get $W) (global.get $X)))

(func $power (export "power") (param $p i32) (param $a i32) (param $b i32)
  (local $inverse i32) (local $e i32) (local $sign i32)
  (local.set $inverse (call $unpack_integer (global.get $C) (local.get $b)))
  (local.set $sign (call $unpack (global.get $A) (local.get $a)))
  (drop (call $unpack (global.get $B) (i32.add (local.get $a) (i32.const 32))))
  (local.set $e (call $exponent))
  (call $power_of (global.get $X) (global.get $A) (local.get $e))
  (call $power_of (global.get $W) (global.get $B) (local.get $e))
  (call $store_power (local.get $p) (local.get $sign) (local.get $e) (local.get $inverse)))

(func $power_recursive (export "power_recursive") (param $p i32) (param $a i32) (param $b i32)
  (local $inverse i32) (local $e i32) (local $sign i32)
  (local.set $inverse (call $unpack_integer (global.get $C) (local.get $b)))
  (local.set $sign (call $unpack (global.get $A) (local.get $a)))
  (drop (call $unpack (global.get $B) (i32.add (local.get $a) (i32.const 32))))
  (local.set $e (call $exponent))
  (call $power_recursive_of (global.get $X) (global.get $A) (local.get $e))
  (call $power_recursive_of (global.get $W) (global.get $B) (local.get $e))
  (call $store_power (local.get $p) (local.get $sign) (local.get $e) (local.get $inverse)))

;; ---- ranges ---------------------------------------------------------------------------------------

;; The distance of two integers, which must be below 2^31 - 1.
(func $distance (param $a i32) (param $b i32) (result i32)
  (drop (call $add_signed
    (global.get $A) (call $unpack_integer (global.get $A) (local.get $a))
    (global.get $C) (i32.xor (i32.const -1) (call $unpack_integer (global.get $C) (local.get $b)))))
  (call $operands (local.get $a) (local.get $b))
  (if (i32.eqz (call $is_small (global.get $X))) (then (call $refuse (i32.const 7))))
  (call $word (global.get $X)))

;; The same for a range that must not be reversed.
(func $length (param $a i32) (param $b i32) (result i32)
  (local $n i32)
  (drop (call $unpack_integer (global.get $A) (local.get $a)))
  (drop (call $unpack_integer (global.get $A) (local.get $b)))
  (if (i32.gt_s (call $compare (local.get $a) (local.get $b)) (i32.const 0))
    (then (call $refuse (i32.const 6))))
  (call $distance (local.get $a) (local.get $b)))

;; a + (a + 1) + ... + b: the offsets 0..n are added up in two words, then n + 1 times a.
(func $sum_range (export "sum_range") (param $p i32) (param $a i32) (param $b i32)
  (local $n i32) (local $k i32) (local $low i32) (local $high i32) (local $sign i32)
  (local.set $n (call $length (local.get $a) (local.get $b)))
  (loop $again
    (local.set $high
      (i32.add (local.get $high)
        (i32.lt_u (local.tee $low (i32.add (local.get $low) (local.get $k))) (local.get $k))))
    (br_if $again
      (i32.le_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (local.get $n))))
  (i32.store offset=4 (global.get $C) (local.get $low))
  (i32.store offset=8 (global.get $C) (local.get $high))
  (call $trim (global.get $C) (i32.const 4))
  (call $set_word (global.get $D) (local.get $k))
  (local.set $sign (call $unpack (global.get $A) (local.get $a)))
  (call $multiply_natural (global.get $E) (global.get $A) (global.get $D))
  (call $store_integer (local.get $p)
    (call $add_signed (global.get $E) (local.get $sign) (global.get $C) (i32.const 0))
    (global.get $X)))

;; a * (a + 1) * ... * b. Ends early at 0, which nothing can change.
(func $product_range (export "product_range") (param $p i32) (param $a i32) (param $b i32)
  (local $n i32)
  (local.set $n (call $length (local.get $a) (local.get $b)))
  (call $copy (global.get $T) (local.get $a))
  (call $copy (global.get $U) (local.get $a))
  (call $operands (global.get $U) (global.get $T))
  (block $done
    (loop $again
      (br_if $done (i32.eqz (call $is_true (global.get $U))))
      (br_if $done (i32.eqz (local.get $n)))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (call $set_int (global.get $K) (i32.const 1))
      (call $add (global.get $T) (global.get $T) (global.get $K))
      (call $multiply (global.get $U) (global.get $U) (global.get $T))
      (br $again)))
  (call $copy (local.get $p) (global.get $U)))

;; Counts from a up or down to b and is there.
(func $count_range (export "count_range") (param $p i32) (param $a i32) (param $b i32)
  (local $n i32) (local $k i32) (local $sign i32)
  (local.set $n (call $distance (local.get $a) (local.get $b)))
  (local.set $sign
    (i32.sub (i32.const 0)
      (i32.gt_s (call $compare (local.get $a) (local.get $b)) (i32.const 0))))
  (block $done
    (loop $again
      (br_if $done (i32.eq (local.get $k) (local.get $n)))
      (local.set $k (i32.add (local.get $k) (i32.const 1)))
      (br $again)))
  (call $set_word (global.get $C) (local.get $k))
  (call $store_integer (local.get $p)
    (call $add_signed
      (global.get $A) (call $unpack (global.get $A) (local.get $a))
      (global.get $C) (local.get $sign))
    (global.get $X)))
