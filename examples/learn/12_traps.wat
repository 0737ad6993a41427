;; What has no answer ends the run: a division by zero, an address outside of memory, unreachable.
;;   txvm examples/learn/12_traps.wat                      prints 5, then stops: the trap names the
;;                                                         function, the line and the cause
;;   txvm examples/learn/12_traps.wat --invoke outside     stops at an address beyond memory
(module
  (import "env" "print_i32" (func $print (param i32)))
  (memory 1)
  (func $divide (param $a i32) (param $b i32) (result i32)
    (i32.div_s (local.get $a) (local.get $b)))
  (func (export "main")
    (call $print (call $divide (i32.const 10) (i32.const 2)))
    (call $print (call $divide (i32.const 10) (i32.const 0))))
  (func (export "outside") (result i32)
    (i32.load (i32.const 65533))))
