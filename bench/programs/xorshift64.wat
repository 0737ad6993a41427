;; work(n) = a 64-bit hash of n numbers of a xorshift64* generator, low word xor high word; i64.
(module
  (memory 1)
  (func $mix (param $hash i64) (param $value i64) (result i64)
    (i64.mul
      (i64.xor (i64.rotl (local.get $hash) (i64.const 5)) (local.get $value))
      (i64.const 0x517cc1b727220a95)))
  (func $work (param $n i32) (result i64)
    (local $state i64) (local $hash i64) (local $value i64)
    (local.set $state (i64.const 0x9e3779b97f4a7c15))
    (loop $again
      (local.set $state
        (i64.xor (local.get $state) (i64.shr_u (local.get $state) (i64.const 12))))
      (local.set $state
        (i64.xor (local.get $state) (i64.shl (local.get $state) (i64.const 25))))
      (local.set $state
        (i64.xor (local.get $state) (i64.shr_u (local.get $state) (i64.const 27))))
      (local.set $value (i64.mul (local.get $state) (i64.const 0x2545f4914f6cdd1d)))
      (i64.store offset=8 (i32.and (local.get $n) (i32.const 0xfff8)) (local.get $value))
      (if (i64.gt_u (local.get $value) (local.get $hash))
        (then (local.set $hash (i64.add (local.get $hash) (local.get $value))))
        (else (local.set $hash (call $mix (local.get $hash) (local.get $value)))))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $hash))
  (func (export "run") (param $n i32) (param $reps i32) (result i32)
    (local $hash i64)
    (loop $again
      (local.set $hash (i64.add (local.get $hash) (call $work (local.get $n))))
      (br_if $again (local.tee $reps (i32.sub (local.get $reps) (i32.const 1)))))
    (i32.xor
      (i32.wrap_i64 (local.get $hash))
      (i32.wrap_i64 (i64.shr_u (local.get $hash) (i64.const 32))))))
