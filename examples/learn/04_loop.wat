;; A loop does not repeat by itself: a branch to its name goes back to its beginning.
;;   txvm examples/learn/04_loop.wat      prints 5050: the sum of 1 to 100
;;   txvm profile examples/learn/04_loop.wat     counts the steps of each line
(module
  (func (export "main") (result i32)
    (local $i i32) (local $sum i32)
    (loop $again
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (local.set $sum (i32.add (local.get $sum) (local.get $i)))
      (br_if $again (i32.lt_u (local.get $i) (i32.const 100))))
    (local.get $sum)))
