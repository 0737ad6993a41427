;; work(n) = hash of C = A*B mod 2^32 for n x n words, 1 <= n <= 128: h = h*31 + c over C row by row.
;; A is at 0, B at 65536, C at 131072. The generator x = x*1664525 + 1013904223 from 7 fills A and B
;; in turns, one word each, with x >> 16.
(module
  (memory 3)
  (func $draw (param $x i32) (result i32)
    (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))
  (func $fill (param $bytes i32)
    (local $at i32) (local $x i32)
    (local.set $x (i32.const 7))
    (loop $next
      (local.set $x (call $draw (local.get $x)))
      (i32.store (local.get $at) (i32.shr_u (local.get $x) (i32.const 16)))
      (local.set $x (call $draw (local.get $x)))
      (i32.store offset=65536 (local.get $at) (i32.shr_u (local.get $x) (i32.const 16)))
      (local.set $at (i32.add (local.get $at) (i32.const 4)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $bytes)))))
  ;; row: address of a row of A; column: address of a word in B's first row
  (func $dot (param $row i32) (param $column i32) (param $stride i32) (result i32)
    (local $end i32) (local $sum i32)
    (local.set $end (i32.add (local.get $row) (local.get $stride)))
    (loop $next
      (local.set $sum
        (i32.add
          (local.get $sum)
          (i32.mul (i32.load (local.get $row)) (i32.load offset=65536 (local.get $column)))))
      (local.set $row (i32.add (local.get $row) (i32.const 4)))
      (local.set $column (i32.add (local.get $column) (local.get $stride)))
      (br_if $next (i32.lt_u (local.get $row) (local.get $end))))
    (local.get $sum))
  (func $work (param $n i32) (result i32)
    (local $stride i32) (local $bytes i32) (local $row i32) (local $column i32)
    (local $cell i32) (local $hash i32)
    (local.set $stride (i32.shl (local.get $n) (i32.const 2)))
    (local.set $bytes (i32.mul (local.get $stride) (local.get $n)))
    (call $fill (local.get $bytes))
    (loop $rows
      (local.set $column (i32.const 0))
      (loop $columns
        (local.set $cell
          (call $dot (local.get $row) (local.get $column) (local.get $stride)))
        (i32.store offset=131072 (i32.add (local.get $row) (local.get $column)) (local.get $cell))
        (local.set $hash
          (i32.add (i32.mul (local.get $hash) (i32.const 31)) (local.get $cell)))
        (local.set $column (i32.add (local.get $column) (i32.const 4)))
        (br_if $columns (i32.lt_u (local.get $column) (local.get $stride))))
      (local.set $row (i32.add (local.get $row) (local.get $stride)))
      (br_if $rows (i32.lt_u (local.get $row) (local.get $bytes))))
    (local.get $hash))

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
