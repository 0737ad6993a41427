(module (import "env" "launch" (func (param i32))) (func (export "main") (call 0 (i32.const 1))))
