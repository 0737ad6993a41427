;; work(n) = turns of z = z^2 + c, at most 50 a point, summed over n x n points c of the rectangle
;; from (-2.2, -1.2), 3.2 wide and 2.4 high; f64.
(module
  (func $turns (param $x f64) (param $y f64) (result i32)
    (local $a f64) (local $b f64) (local $aa f64) (local $bb f64) (local $n i32)
    (block $out
      (loop $next
        (local.set $aa (f64.mul (local.get $a) (local.get $a)))
        (local.set $bb (f64.mul (local.get $b) (local.get $b)))
        (br_if $out (f64.gt (f64.add (local.get $aa) (local.get $bb)) (f64.const 4)))
        (local.set $b
          (f64.add
            (f64.mul (f64.mul (f64.const 2) (local.get $a)) (local.get $b))
            (local.get $y)))
        (local.set $a
          (f64.add (f64.sub (local.get $aa) (local.get $bb)) (local.get $x)))
        (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $n) (i32.const 50)))))
    (local.get $n))
  ;; first + width * i / n
  (func $place (param $first f64) (param $width f64) (param $i i32) (param $n i32) (result f64)
    (f64.add
      (local.get $first)
      (f64.div
        (f64.mul (local.get $width) (f64.convert_i32_s (local.get $i)))
        (f64.convert_i32_s (local.get $n)))))
  (func $work (param $n i32) (result i32)
    (local $row i32) (local $column i32) (local $y f64) (local $sum i32)
    (loop $rows
      (local.set $y
        (call $place (f64.const -1.2) (f64.const 2.4) (local.get $row) (local.get $n)))
      (local.set $column (i32.const 0))
      (loop $columns
        (local.set $sum
          (i32.add
            (local.get $sum)
            (call $turns
              (call $place (f64.const -2.2) (f64.const 3.2) (local.get $column) (local.get $n))
              (local.get $y))))
        (local.set $column (i32.add (local.get $column) (i32.const 1)))
        (br_if $columns (i32.lt_s (local.get $column) (local.get $n))))
      (local.set $row (i32.add (local.get $row) (i32.const 1)))
      (br_if $rows (i32.lt_s (local.get $row) (local.get $n))))
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
