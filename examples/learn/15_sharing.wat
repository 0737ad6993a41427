;; Modules share memory, tables, globals and functions: one exports, the other imports. Alone, this
;; module gets a memory and a global of its own, both empty.
;;   txvm examples/learn/15_sharing.wat                                          prints 0 0
;;   txvm examples/learn/15_sharing.wat --link box=examples/learn/15_box.wat     prints 42 5
(module
  (import "box" "memory" (memory 1))
  (import "box" "count" (global $count i32))
  (func (export "main") (result i32 i32)
    (i32.load (i32.const 8))
    (global.get $count)))
