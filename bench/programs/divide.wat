;; Division-heavy. work(n) = sum over i = 1..n of gcd(i * 2654435761, 3600003600), both unsigned 32-bit, by
;; Euclid's algorithm (rem_u), plus the signed digit sum of i * -7919 (div_s and rem_s by 10).
(module
  (func $gcd (param $a i32) (param $b i32) (result i32)
    (local $t i32)
    (block $out
      (loop $next
        (br_if $out (i32.eqz (local.get $b)))
        (local.set $t (i32.rem_u (local.get $a) (local.get $b)))
        (local.set $a (local.get $b))
        (local.set $b (local.get $t))
        (br $next)))
    (local.get $a))
  (func $digits (param $x i32) (result i32)
    (local $sum i32)
    (block $out
      (loop $next
        (br_if $out (i32.eqz (local.get $x)))
        (local.set $sum (i32.add (local.get $sum) (i32.rem_s (local.get $x) (i32.const 10))))
        (local.set $x (i32.div_s (local.get $x) (i32.const 10)))
        (br $next)))
    (local.get $sum))
  (func $work (param $n i32) (result i32)
    (local $i i32) (local $sum i32)
    (block $out
      (loop $next
        (br_if $out (i32.ge_u (local.get $i) (local.get $n)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (local.set $sum
          (i32.add
            (local.get $sum)
            (i32.add
              (call $gcd (i32.mul (local.get $i) (i32.const 2654435761)) (i32.const 3600003600))
              (call $digits (i32.mul (local.get $i) (i32.const -7919))))))
        (br $next)))
    (local.get $sum))

  ;; run(n, reps): acc = acc*31 + work(n), reps times, from acc = 0
  (func (export "run") (param $n i32) (param $reps i32) (result i32)
    (local $acc i32)
    (block $out
      (loop $next
        (br_if $out (i32.eqz (local.get $reps)))
        (local.set $acc
          (i32.add (i32.mul (local.get $acc) (i32.const 31)) (call $work (local.get $n))))
        (local.set $reps (i32.sub (local.get $reps) (i32.const 1)))
        (br $next)))
    (local.get $acc)))
