;; work(n) = the n-th Fibonacci number, mod 2^32, by iteration.
(module
  (func $work (param $n i32) (result i32)
    (local $low i32) (local $high i32) (local $sum i32)
    (local.set $high (i32.const 1))
    (block $out
      (loop $next
        (br_if $out (i32.eqz (local.get $n)))
        (local.set $sum (i32.add (local.get $low) (local.get $high)))
        (local.set $low (local.get $high))
        (local.set $high (local.get $sum))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br $next)))
    (local.get $low))

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
