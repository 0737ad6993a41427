;; What 15_sharing.wat imports from: a memory with a 42 in it, and a global.
;;   txvm examples/learn/15_box.wat --list     shows what it exports
(module
  (memory (export "memory") 1)
  (global (export "count") i32 (i32.const 5))
  (data (i32.const 8) "\2a\00\00\00"))
