;; product of two n x n matrices of a generator; h = 31 h + c over it
(module
  (memory 1)
  (func (export "run") (param $n i32) (result i32)
    (local $x i32) (local $at i32) (local $size i32) (local $i i32) (local $j i32) (local $k i32)
    (local $c i32) (local $h i32)
    (local.set $size (i32.shl (i32.mul (local.get $n) (local.get $n)) (i32.const 2)))
    (local.set $x (i32.const 7))
    (block $filled
      (loop $fill
        (br_if $filled (i32.ge_u (local.get $at) (local.get $size)))
        (local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))
        (i32.store (local.get $at) (i32.shr_u (local.get $x) (i32.const 16)))
        (local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))
        (i32.store (i32.add (local.get $at) (local.get $size)) (i32.shr_u (local.get $x) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br $fill)))
    (loop $row
      (local.set $j (i32.const 0))
      (loop $column
        (local.set $c (i32.const 0))
        (local.set $k (i32.const 0))
        (loop $term
          (local.set $c
            (i32.add
              (local.get $c)
              (i32.mul
                (i32.load
                  (i32.shl
                    (i32.add (i32.mul (local.get $i) (local.get $n)) (local.get $k))
                    (i32.const 2)))
                (i32.load
                  (i32.add
                    (local.get $size)
                    (i32.shl
                      (i32.add (i32.mul (local.get $k) (local.get $n)) (local.get $j))
                      (i32.const 2)))))))
          (br_if $term
            (i32.lt_u
              (local.tee $k (i32.add (local.get $k) (i32.const 1)))
              (local.get $n))))
        (local.set $h (i32.add (i32.mul (local.get $h) (i32.const 31)) (local.get $c)))
        (br_if $column
          (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const 1))) (local.get $n))))
      (br_if $row (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (local.get $h)))
