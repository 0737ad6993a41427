;; A global outlives the call that changes it. One without mut is a constant.
;;   txvm examples/learn/09_globals.wat     prints 3 5 7, a line each
(module
  (import "env" "print_i32" (func $print (param i32)))
  (global $step i32 (i32.const 2))
  (global $count (mut i32) (i32.const 1))
  (func $next
    (global.set $count (i32.add (global.get $count) (global.get $step)))
    (call $print (global.get $count)))
  (func (export "main")
    (call $next)
    (call $next)
    (call $next)))
