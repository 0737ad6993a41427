;; FNV-1a over n bytes of a linear congruential generator, by way of memory
(module
  (memory 1)
  (func $fill (param $n i32)
    (local $at i32) (local $x i32)
    (local.set $x (i32.const 12345))
    (loop $again
      (if (i32.lt_u (local.get $at) (local.get $n))
        (then
          (local.set $x
            (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))
          (i32.store8 (local.get $at) (i32.shr_u (local.get $x) (i32.const 24)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $again)))))
  (func (export "run") (param $n i32) (result i32)
    (local $at i32) (local $hash i32)
    (call $fill (local.get $n))
    (local.set $hash (i32.const 0x811c9dc5))
    (loop $again
      (if (i32.lt_u (local.get $at) (local.get $n))
        (then
          (local.set $hash
            (i32.mul
              (i32.xor (local.get $hash) (i32.load8_u (local.get $at)))
              (i32.const 16777619)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $again))))
    (local.get $hash)))
