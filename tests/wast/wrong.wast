;; Six commands whose expectations are wrong: each must count as failed.

(module (func (export "f") (result i32) (i32.const 1)) (func (export "t") (unreachable)))
(assert_return (invoke "f") (i32.const 2))
(assert_return (invoke "t"))
(assert_trap (invoke "f") "unreachable")
(assert_trap (invoke "t") "integer overflow")
(assert_invalid (module (func)) "type mismatch")
(assert_unlinkable (module (func)) "unknown import")
