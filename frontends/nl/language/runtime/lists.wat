;; Lists of fractions, and functions for programs whose every value is proved to be an i32.

;; ---- lists: n fractions at `list` -----------------------------------------------------------------

(func $sum_list (export "sum_list") (param $p i32) (param $list i32) (param $n i32)
  (call $set_int (global.get $T) (i32.const 0))
  (block $done
    (loop $again
      (br_if $done (i32.eqz (local.get $n)))
      (call $operands (global.get $T) (local.get $list))
      (call $add (global.get $T) (global.get $T) (local.get $list))
      (local.set $list (i32.add (local.get $list) (i32.const 64)))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $again)))
  (call $copy (local.get $p) (global.get $T)))

(func $product_list (export "product_list") (param $p i32) (param $list i32) (param $n i32)
  (call $set_int (global.get $T) (i32.const 1))
  (block $done
    (loop $again
      (br_if $done (i32.eqz (local.get $n)))
      (call $operands (global.get $T) (local.get $list))
      (call $multiply (global.get $T) (global.get $T) (local.get $list))
      (local.set $list (i32.add (local.get $list) (i32.const 64)))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $again)))
  (call $copy (local.get $p) (global.get $T)))

(func $count_list (export "count_list") (param $p i32) (param $list i32) (param $n i32)
  (call $set_int (local.get $p) (local.get $n)))

(func $mean_list (export "mean_list") (param $p i32) (param $list i32) (param $n i32)
  (if (i32.eqz (local.get $n)) (then (call $refuse (i32.const 5))))
  (call $sum_list (global.get $U) (local.get $list) (local.get $n))
  (call $set_int (global.get $K) (local.get $n))
  (call $operands (global.get $U) (global.get $K))
  (call $divide (local.get $p) (global.get $U) (global.get $K)))

;; p = the element that compares as `order` with every other before it.
(func $pick_list (param $p i32) (param $list i32) (param $n i32) (param $order i32)
  (local $best i32)
  (if (i32.eqz (local.get $n)) (then (call $refuse (i32.const 5))))
  (local.set $best (local.get $list))
  (loop $again
    (if (i32.eq (call $compare (local.get $list) (local.get $best)) (local.get $order))
      (then (local.set $best (local.get $list))))
    (local.set $list (i32.add (local.get $list) (i32.const 64)))
    (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
  (call $copy (local.get $p) (local.get $best)))

(func $max_list (export "max_list") (param $p i32) (param $list i32) (param $n i32)
  (call $pick_list (local.get $p) (local.get $list) (local.get $n) (i32.const 1)))

(func $min_list (export "min_list") (param $p i32) (param $list i32) (param $n i32)
  (call $pick_list (local.get $p) (local.get $list) (local.get $n) (i32.const -1)))

(func $gcd_list (export "gcd_list") (param $p i32) (param $list i32) (param $n i32)
  (call $set_word (global.get $X) (i32.const 0))
  (block $done
    (loop $again
      (br_if $done (i32.eqz (local.get $n)))
      (drop (call $unpack_integer (global.get $A) (local.get $list)))
      (call $copy_natural (global.get $X)
        (call $greatest_common_divisor (global.get $X) (global.get $A)))
      (local.set $list (i32.add (local.get $list) (i32.const 64)))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $again)))
  (call $store_integer (local.get $p) (i32.const 0) (global.get $X)))

(func $gcd_list_recursive (export "gcd_list_recursive")
      (param $p i32) (param $list i32) (param $n i32)
  (call $set_word (global.get $X) (i32.const 0))
  (block $done
    (loop $again
      (br_if $done (i32.eqz (local.get $n)))
      (drop (call $unpack_integer (global.get $H) (local.get $list)))
      (call $copy_natural (global.get $G) (global.get $X))
      (call $copy_natural (global.get $X)
        (call $gcd_of (global.get $G) (global.get $H) (global.get $I)))
      (local.set $list (i32.add (local.get $list) (i32.const 64)))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $again)))
  (call $store_integer (local.get $p) (i32.const 0) (global.get $X)))

;; ---- words: for programs whose every value is proved to be an i32 ------------------------------------

(func $word_factorial (export "word_factorial") (param $n i32) (result i32)
  (local $product i32)
  (local.set $product (i32.const 1))
  (block $done
    (loop $again
      (br_if $done (i32.lt_s (local.get $n) (i32.const 2)))
      (local.set $product (i32.mul (local.get $product) (local.get $n)))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $again)))
  (local.get $product))

(func $word_factorial_recursive (export "word_factorial_recursive") (param $n i32) (result i32)
  (if (result i32) (i32.lt_s (local.get $n) (i32.const 2))
    (then (i32.const 1))
    (else
      (i32.mul (local.get $n)
        (call $word_factorial_recursive (i32.sub (local.get $n) (i32.const 1)))))))

(func $word_fibonacci (export "word_fibonacci") (param $n i32) (result i32)
  (local $x i32) (local $y i32) (local $t i32)
  (local.set $y (i32.const 1))
  (block $done
    (loop $again
      (br_if $done (i32.eqz (local.get $n)))
      (local.set $t (i32.add (local.get $x) (local.get $y)))
      (local.set $x (local.get $y))
      (local.set $y (local.get $t))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $again)))
  (local.get $x))

(func $word_fibonacci_from (param $n i32) (param $x i32) (param $y i32) (result i32)
  (if (result i32) (local.get $n)
    (then
      (call $word_fibonacci_from (i32.sub (local.get $n) (i32.const 1)) (local.get $y)
                                 (i32.add (local.get $x) (local.get $y))))
    (else (local.get $x))))

(func $word_fibonacci_recursive (export "word_fibonacci_recursive") (param $n i32) (result i32)
  (call $word_fibonacci_from (local.get $n) (i32.const 0) (i32.const 1)))

(func $word_power (export "word_power") (param $x i32) (param $e i32) (result i32)
  (local $product i32)
  (local.set $product (i32.const 1))
  (block $done
    (loop $again
      (if (i32.and (local.get $e) (i32.const 1))
        (then (local.set $product (i32.mul (local.get $product) (local.get $x)))))
      (br_if $done (i32.eqz (local.tee $e (i32.shr_u (local.get $e) (i32.const 1)))))
      (local.set $x (i32.mul (local.get $x) (local.get $x)))
      (br $again)))
  (local.get $product))

(func $word_power_recursive (export "word_power_recursive") (param $x i32) (param $e i32)
                                                            (result i32)
  (local $half i32)
  (if (i32.eqz (local.get $e)) (then (return (i32.const 1))))
  (local.set $half
    (call $word_power_recursive (local.get $x) (i32.shr_u (local.get $e) (i32.const 1))))
  (local.set $half (i32.mul (local.get $half) (local.get $half)))
  (if (i32.and (local.get $e) (i32.const 1))
    (then (local.set $half (i32.mul (local.get $half) (local.get $x)))))
  (local.get $half))

(func $word_absolute (export "word_absolute") (param $x i32) (result i32)
  (local $sign i32)
  (local.set $sign (i32.shr_s (local.get $x) (i32.const 31)))
  (i32.sub (i32.xor (local.get $x) (local.get $sign)) (local.get $sign)))

(func $word_gcd (export "word_gcd") (param $x i32) (param $y i32) (result i32)
  (local $t i32)
  (block $done
    (loop $again
      (br_if $done (i32.eqz (local.get $y)))
      (local.set $t (i32.rem_u (local.get $x) (local.get $y)))
      (local.set $x (local.get $y))
      (local.set $y (local.get $t))
      (br $again)))
  (local.get $x))

(func $word_gcd_recursive (export "word_gcd_recursive") (param $x i32) (param $y i32) (result i32)
  (if (result i32) (local.get $y)
    (then
      (call $word_gcd_recursive (local.get $y) (i32.rem_u (local.get $x) (local.get $y))))
    (else (local.get $x))))

;; Lists of n words at `list`.
(func $word_sum (export "word_sum") (param $list i32) (param $n i32) (result i32)
  (local $sum i32)
  (block $done
    (loop $again
      (br_if $done (i32.eqz (local.get $n)))
      (local.set $sum (i32.add (local.get $sum) (i32.load (local.get $list))))
      (local.set $list (i32.add (local.get $list) (i32.const 4)))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $again)))
  (local.get $sum))

(func $word_product (export "word_product") (param $list i32) (param $n i32) (result i32)
  (local $product i32)
  (local.set $product (i32.const 1))
  (block $done
    (loop $again
      (br_if $done (i32.eqz (local.get $n)))
      (local.set $product (i32.mul (local.get $product) (i32.load (local.get $list))))
      (local.set $list (i32.add (local.get $list) (i32.const 4)))
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br $again)))
  (local.get $product))

(func $word_max (export "word_max") (param $list i32) (param $n i32) (result i32)
  (local $best i32) (local $x i32)
  (local.set $best (i32.load (local.get $list)))
  (loop $again
    (if (i32.gt_s (local.tee $x (i32.load (local.get $list))) (local.get $best))
      (then (local.set $best (local.get $x))))
    (local.set $list (i32.add (local.get $list) (i32.const 4)))
    (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
  (local.get $best))

(func $word_min (export "word_min") (param $list i32) (param $n i32) (result i32)
  (local $best i32) (local $x i32)
  (local.set $best (i32.load (local.get $list)))
  (loop $again
    (if (i32.lt_s (local.tee $x (i32.load (local.get $list))) (local.get $best))
      (then (local.set $best (local.get $x))))
    (local.set $list (i32.add (local.get $list) (i32.const 4)))
    (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
  (local.get $best))
