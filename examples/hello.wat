;; Prints a text from memory, byte by byte, through a host function.
;;   txvm examples/hello.wat
(module
  (import "env" "putchar" (func $putchar (param i32) (result i32)))
  (memory 1)
  (data (i32.const 16) "Hello from attention.\n\00")
  (func (export "main")
    (local $at i32)
    (local.set $at (i32.const 16))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (i32.load8_u (local.get $at))))
        (drop (call $putchar (i32.load8_u (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))))
