;; if takes a number: zero is false, all others are true. Both arms leave a value of one type.
;;   txvm examples/learn/03_if.wat                          prints 9: the larger of 4 and 9
;;   txvm examples/learn/03_if.wat --invoke larger -1 -5    prints -1
(module
  (func $larger (export "larger") (param $a i32) (param $b i32) (result i32)
    (if (result i32) (i32.gt_s (local.get $a) (local.get $b))
      (then (local.get $a))
      (else (local.get $b))))
  (func (export "main") (result i32)
    (call $larger (i32.const 4) (i32.const 9))))
