;; A string is bytes in memory. A data segment puts them there before anything runs.
;;   txvm examples/learn/06_strings.wat     prints "Hello, learner!" and its length, 15
(module
  (import "env" "putchar" (func $putchar (param i32) (result i32)))
  (memory 1)
  (data (i32.const 16) "Hello, learner!\00")
  ;; Prints the bytes up to the zero and returns how many there were.
  (func $print (param $text i32) (result i32)
    (local $at i32)
    (local.set $at (local.get $text))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (i32.load8_u (local.get $at))))
        (drop (call $putchar (i32.load8_u (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (drop (call $putchar (i32.const 10)))
    (i32.sub (local.get $at) (local.get $text)))
  (func (export "main") (result i32)
    (call $print (i32.const 16))))
