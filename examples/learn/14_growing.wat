;; Memory can grow. memory.grow returns the old number of pages, or -1 where there is no room;
;; memory.fill and memory.copy work on many bytes at once.
;;   txvm examples/learn/14_growing.wat     prints 1 3 -1 7, a line each
(module
  (import "env" "print_i32" (func $print (param i32)))
  (memory 1 3)
  (func (export "main")
    (call $print (memory.grow (i32.const 2)))      ;; there was 1 page
    (call $print (memory.size))                    ;; now there are 3
    (call $print (memory.grow (i32.const 1)))      ;; a fourth is not allowed
    (memory.fill (i32.const 131072) (i32.const 7) (i32.const 100))
    (memory.copy (i32.const 0) (i32.const 131072) (i32.const 100))
    (call $print (i32.load8_u (i32.const 99)))))
