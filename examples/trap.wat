;; Divides by its argument: 0 traps, and txvm says where.
;;   txvm examples/trap.wat --invoke divide 0
(module
  (func $divide (export "divide") (param $by i32) (result i32)
    i32.const 100
    local.get $by
    i32.div_s))
