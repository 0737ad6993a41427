;; Memory is one array of bytes, in pages of 64 KiB. A word takes four bytes, the lowest first.
;;   txvm examples/learn/05_memory.wat     prints 513: the bytes 1 and 2 read as 1 + 2 * 256
(module
  (memory 1)
  (func (export "main") (result i32)
    (i32.store8 (i32.const 100) (i32.const 1))
    (i32.store8 (i32.const 101) (i32.const 2))
    (i32.load (i32.const 100))))
