;; work(n) = the number of primes <= n, n <= 1048575, by a sieve of bytes: 1 marks a composite.
(module
  (memory 16)
  (func $clear (param $n i32)
    (local $at i32)
    (loop $next
      (i32.store8 (local.get $at) (i32.const 0))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.le_u (local.get $at) (local.get $n)))))
  (func $strike (param $p i32) (param $n i32)
    (local $at i32)
    (local.set $at (i32.mul (local.get $p) (local.get $p)))
    (block $out
      (loop $next
        (br_if $out (i32.gt_u (local.get $at) (local.get $n)))
        (i32.store8 (local.get $at) (i32.const 1))
        (local.set $at (i32.add (local.get $at) (local.get $p)))
        (br $next))))
  (func $work (param $n i32) (result i32)
    (local $p i32) (local $count i32)
    (call $clear (local.get $n))
    (local.set $p (i32.const 2))
    (block $out
      (loop $next
        (br_if $out (i32.gt_u (local.get $p) (local.get $n)))
        (if (i32.eqz (i32.load8_u (local.get $p)))
          (then
            (local.set $count (i32.add (local.get $count) (i32.const 1)))
            ;; above 1023 the square is beyond every n
            (if (i32.lt_u (local.get $p) (i32.const 1024))
              (then (call $strike (local.get $p) (local.get $n))))))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (br $next)))
    (local.get $count))

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
