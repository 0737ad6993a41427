;; bubble sort of n signed words of a generator; the sum of a[i] (i + 1)
(module
  (memory 1)
  (func $address (param $i i32) (result i32) (i32.shl (local.get $i) (i32.const 2)))
  (func (export "run") (param $n i32) (result i32)
    (local $i i32) (local $x i32) (local $left i32) (local $p i32) (local $q i32) (local $sum i32)
    (local.set $x (i32.const 42))
    (loop $fill
      (if (i32.lt_u (local.get $i) (local.get $n))
        (then
          (local.set $x
            (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))
          (i32.store (call $address (local.get $i)) (i32.shr_s (local.get $x) (i32.const 8)))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $fill))))
    (local.set $left (local.get $n))
    (loop $pass
      (if (i32.gt_u (local.get $left) (i32.const 1))
        (then
          (local.set $left (i32.sub (local.get $left) (i32.const 1)))
          (local.set $i (i32.const 0))
          (loop $pair
            (local.set $p (i32.load (call $address (local.get $i))))
            (local.set $q (i32.load offset=4 (call $address (local.get $i))))
            (if (i32.gt_s (local.get $p) (local.get $q))
              (then
                (i32.store (call $address (local.get $i)) (local.get $q))
                (i32.store offset=4 (call $address (local.get $i)) (local.get $p))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $pair (i32.lt_u (local.get $i) (local.get $left))))
          (br $pass))))
    (local.set $i (i32.const 0))
    (loop $check
      (if (i32.lt_u (local.get $i) (local.get $n))
        (then
          (local.set $p (i32.load (call $address (local.get $i))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (local.set $sum (i32.add (local.get $sum) (i32.mul (local.get $p) (local.get $i))))
          (br $check))))
    (local.get $sum)))
