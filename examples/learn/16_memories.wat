;; A module may have several memories. Each has its own size, and address 0 of one is not address 0
;; of another: an instruction names the memory it means, or takes the first.
;;   txvm examples/learn/16_memories.wat     prints 1 2 3 and 104, a line each
(module
  (import "env" "print_i32" (func $print (param i32)))
  (memory $text (export "text") 1)
  (memory $numbers (export "numbers") 2)
  (data (memory $text) (i32.const 0) "hello")
  (func (export "main")
    (call $print (memory.size $text))                             ;; 1 page
    (call $print (memory.size $numbers))                          ;; 2 pages
    (i32.store $numbers (i32.const 0) (i32.const 3))
    (call $print (i32.load $numbers (i32.const 0)))               ;; what was stored
    (memory.copy $numbers $text (i32.const 8) (i32.const 0) (i32.const 5))
    (call $print (i32.load8_u $numbers (i32.const 8)))))          ;; 104 is the letter h
