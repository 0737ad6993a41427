;; the longest 3x + 1 chain of the starts 1 .. n: start * 512 + length
(module
  (func $length (param $x i32) (result i32)
    (local $steps i32)
    (block $end
      (loop $again
        (br_if $end (i32.eq (local.get $x) (i32.const 1)))
        (if (i32.and (local.get $x) (i32.const 1))
          (then (local.set $x (i32.add (i32.mul (local.get $x) (i32.const 3)) (i32.const 1))))
          (else (local.set $x (i32.shr_u (local.get $x) (i32.const 1)))))
        (local.set $steps (i32.add (local.get $steps) (i32.const 1)))
        (br $again)))
    (local.get $steps))
  (func (export "run") (param $n i32) (result i32)
    (local $start i32) (local $steps i32) (local $best i32) (local $best_start i32)
    (block $end
      (loop $again
        (local.set $start (i32.add (local.get $start) (i32.const 1)))
        (br_if $end (i32.gt_u (local.get $start) (local.get $n)))
        (local.set $steps (call $length (local.get $start)))
        (br_if $again (i32.le_u (local.get $steps) (local.get $best)))
        (local.set $best (local.get $steps))
        (local.set $best_start (local.get $start))
        (br $again)))
    (i32.add (i32.mul (local.get $best_start) (i32.const 512)) (local.get $best))))
