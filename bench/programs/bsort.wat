;; work(n) = checksum of n <= 16384 signed words, bubble sorted in place without early exit:
;; the sum of word(i) * (i + 1). The words are (i32)x >> 8 of the generator
;; x = x*1664525 + 1013904223 from 42, made anew on each call.
(module
  (memory 1)
  (func $fill (param $end i32)
    (local $at i32) (local $x i32)
    (local.set $x (i32.const 42))
    (block $out
      (loop $next
        (br_if $out (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $x
          (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))
        (i32.store (local.get $at) (i32.shr_s (local.get $x) (i32.const 8)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $next))))
  (func $sort (param $end i32)
    (local $last i32) (local $at i32) (local $left i32) (local $right i32)
    (local.set $last (i32.sub (local.get $end) (i32.const 4)))
    (block $sorted
      (loop $pass
        (br_if $sorted (i32.le_s (local.get $last) (i32.const 0)))
        (local.set $at (i32.const 0))
        (loop $pair
          (local.set $left (i32.load (local.get $at)))
          (local.set $right (i32.load offset=4 (local.get $at)))
          (if (i32.gt_s (local.get $left) (local.get $right))
            (then
              (i32.store (local.get $at) (local.get $right))
              (i32.store offset=4 (local.get $at) (local.get $left))))
          (local.set $at (i32.add (local.get $at) (i32.const 4)))
          (br_if $pair (i32.lt_u (local.get $at) (local.get $last))))
        (local.set $last (i32.sub (local.get $last) (i32.const 4)))
        (br $pass))))
  (func $work (param $n i32) (result i32)
    (local $i i32) (local $sum i32)
    (call $fill (i32.shl (local.get $n) (i32.const 2)))
    (call $sort (i32.shl (local.get $n) (i32.const 2)))
    (block $out
      (loop $next
        (br_if $out (i32.ge_u (local.get $i) (local.get $n)))
        (local.set $sum
          (i32.add
            (local.get $sum)
            (i32.mul
              (i32.load (i32.shl (local.get $i) (i32.const 2)))
              (i32.add (local.get $i) (i32.const 1)))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
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
