;; An i64 has twice the bits of an i32. Types never mix by themselves: a conversion says how.
;;   txvm examples/learn/10_i64.wat     prints 10000000000, which no i32 holds, then 1410065408:
;;                                      its lower 32 bits
(module
  (func (export "main") (result i64 i32)
    (local $big i64)
    (local.set $big (i64.mul (i64.extend_i32_u (i32.const 100000))
                             (i64.const 100000)))
    (local.get $big)
    (i32.wrap_i64 (local.get $big))))
