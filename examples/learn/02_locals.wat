;; Locals are a function's variables: numbered, or with names of the writer's choice.
;;   txvm examples/learn/02_locals.wat                        prints 25
;;   txvm examples/learn/02_locals.wat --invoke square 12     prints 144
(module
  (func $square (export "square") (param $x i32) (result i32)
    (local $result i32)
    (local.set $result (i32.mul (local.get $x) (local.get $x)))
    (local.get $result))
  (func (export "main") (result i32)
    (call $square (i32.const 5))))
