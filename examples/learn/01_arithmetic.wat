;; Arithmetic on a stack: each instruction takes its operands off the stack and puts its result there.
;;   txvm examples/learn/01_arithmetic.wat          prints 42
;;   txvm step examples/learn/01_arithmetic.wat     shows the stack after each step: type `step`
(module
  (func (export "main") (result i32)
    i32.const 6     ;; stack: 6
    i32.const 8     ;; stack: 6 8
    i32.mul         ;; stack: 48
    i32.const 6     ;; stack: 48 6
    i32.sub))       ;; stack: 42, which is the result
