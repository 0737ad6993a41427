;; work(n) = the bits of the spectral norm of the n x n corner of 1 / ((i+j)(i+j+1)/2 + i + 1), low
;; word xor high word, by ten steps of the power method; 1 <= n <= 1000, f64. The vectors u, v and
;; the one between them are at 0, 8192 and 16384.
(module
  (memory 1)
  (func $entry (param $i i32) (param $j i32) (result f64)
    (local $sum i32)
    (local.set $sum (i32.add (local.get $i) (local.get $j)))
    (f64.div
      (f64.const 1)
      (f64.convert_i32_s
        (i32.add
          (i32.add
            (i32.shr_u
              (i32.mul (local.get $sum) (i32.add (local.get $sum) (i32.const 1)))
              (i32.const 1))
            (local.get $i))
          (i32.const 1)))))
  ;; the vector at `to` becomes the matrix, or its transpose, times the vector at `from`
  (func $multiply (param $n i32) (param $from i32) (param $to i32) (param $transposed i32)
    (local $i i32) (local $j i32) (local $sum f64)
    (loop $rows
      (local.set $sum (f64.const 0))
      (local.set $j (i32.const 0))
      (loop $columns
        (local.set $sum
          (f64.add
            (local.get $sum)
            (f64.mul
              (if (result f64) (local.get $transposed)
                (then (call $entry (local.get $j) (local.get $i)))
                (else (call $entry (local.get $i) (local.get $j))))
              (f64.load
                (i32.add (local.get $from) (i32.shl (local.get $j) (i32.const 3)))))))
        (local.set $j (i32.add (local.get $j) (i32.const 1)))
        (br_if $columns (i32.lt_u (local.get $j) (local.get $n))))
      (f64.store
        (i32.add (local.get $to) (i32.shl (local.get $i) (i32.const 3)))
        (local.get $sum))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $rows (i32.lt_u (local.get $i) (local.get $n)))))
  (func $dot (param $n i32) (param $a i32) (param $b i32) (result f64)
    (local $sum f64)
    (loop $next
      (local.set $sum
        (f64.add
          (local.get $sum)
          (f64.mul (f64.load (local.get $a)) (f64.load (local.get $b)))))
      (local.set $a (i32.add (local.get $a) (i32.const 8)))
      (local.set $b (i32.add (local.get $b) (i32.const 8)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $sum))
  (func $work (param $n i32) (result i32)
    (local $i i32) (local $bits i64)
    (loop $ones
      (f64.store (i32.shl (local.get $i) (i32.const 3)) (f64.const 1))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $ones (i32.lt_u (local.get $i) (local.get $n))))
    (local.set $i (i32.const 10))
    (loop $steps
      (call $multiply (local.get $n) (i32.const 0) (i32.const 16384) (i32.const 0))
      (call $multiply (local.get $n) (i32.const 16384) (i32.const 8192) (i32.const 1))
      (call $multiply (local.get $n) (i32.const 8192) (i32.const 16384) (i32.const 0))
      (call $multiply (local.get $n) (i32.const 16384) (i32.const 0) (i32.const 1))
      (br_if $steps (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
    (local.set $bits
      (i64.reinterpret_f64
        (f64.sqrt
          (f64.div
            (call $dot (local.get $n) (i32.const 0) (i32.const 8192))
            (call $dot (local.get $n) (i32.const 8192) (i32.const 8192))))))
    (i32.xor
      (i32.wrap_i64 (local.get $bits))
      (i32.wrap_i64 (i64.shr_u (local.get $bits) (i64.const 32)))))

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
