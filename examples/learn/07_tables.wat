;; A table holds functions; call_indirect calls the one at an index and checks its type.
;;   txvm examples/learn/07_tables.wat                        prints 13 7 30, a line each
;;   txvm examples/learn/07_tables.wat --invoke apply 1 9 4   prints 5: function 1 subtracts
(module
  (import "env" "print_i32" (func $print (param i32)))
  (type $binary (func (param i32 i32) (result i32)))
  (table funcref (elem $add $subtract $multiply))
  (func $add (type $binary) (i32.add (local.get 0) (local.get 1)))
  (func $subtract (type $binary) (i32.sub (local.get 0) (local.get 1)))
  (func $multiply (type $binary) (i32.mul (local.get 0) (local.get 1)))
  (func $apply (export "apply") (param $which i32) (param $a i32) (param $b i32) (result i32)
    (call_indirect (type $binary) (local.get $a) (local.get $b) (local.get $which)))
  (func (export "main")
    (local $which i32)
    (loop $next
      (call $print (call $apply (local.get $which) (i32.const 10) (i32.const 3)))
      (local.set $which (i32.add (local.get $which) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $which) (i32.const 3))))))
