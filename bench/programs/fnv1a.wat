;; work(n) = FNV-1a/32 of n <= 65536 bytes at address 0. The bytes are the high bytes of the
;; generator x = x*1664525 + 1013904223 from 12345; they are made once, for the first n.
(module
  (memory 1)
  (global $made (mut i32) (i32.const 0))
  (func $fill (param $n i32)
    (local $at i32) (local $x i32)
    (local.set $x (i32.const 12345))
    (block $out
      (loop $next
        (br_if $out (i32.ge_u (local.get $at) (local.get $n)))
        (local.set $x
          (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))
        (i32.store8 (local.get $at) (i32.shr_u (local.get $x) (i32.const 24)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next))))
  (func $work (param $n i32) (result i32)
    (local $at i32) (local $hash i32)
    (if (i32.lt_u (global.get $made) (local.get $n))
      (then
        (call $fill (local.get $n))
        (global.set $made (local.get $n))))
    (local.set $hash (i32.const 0x811c9dc5))
    (block $out
      (loop $next
        (br_if $out (i32.ge_u (local.get $at) (local.get $n)))
        (local.set $hash
          (i32.mul
            (i32.xor (local.get $hash) (i32.load8_u (local.get $at)))
            (i32.const 16777619)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
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
