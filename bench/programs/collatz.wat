;; work(n) = start*512 + length of the longest Collatz chain among the starts 1..n, n <= 113382;
;; the length counts steps down to 1, and the earliest start wins ties.
(module
  (func $steps (param $x i32) (result i32)
    (local $count i32)
    (block $out
      (loop $next
        (br_if $out (i32.le_u (local.get $x) (i32.const 1)))
        (if (i32.and (local.get $x) (i32.const 1))
          (then
            (local.set $x
              (i32.add (i32.mul (local.get $x) (i32.const 3)) (i32.const 1))))
          (else
            (local.set $x (i32.shr_u (local.get $x) (i32.const 1)))))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (br $next)))
    (local.get $count))
  (func $work (param $n i32) (result i32)
    (local $start i32) (local $length i32) (local $best i32) (local $best_start i32)
    (local.set $start (i32.const 1))
    (block $out
      (loop $next
        (br_if $out (i32.gt_u (local.get $start) (local.get $n)))
        (local.set $length (call $steps (local.get $start)))
        (if (i32.gt_u (local.get $length) (local.get $best))
          (then
            (local.set $best (local.get $length))
            (local.set $best_start (local.get $start))))
        (local.set $start (i32.add (local.get $start) (i32.const 1)))
        (br $next)))
    (i32.add (i32.shl (local.get $best_start) (i32.const 9)) (local.get $best)))

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
