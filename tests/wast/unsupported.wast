;; Two commands that are not judged: a module with a type that txvm lacks, and a call of it.

(module $A
  (memory (export "memory") 1)
  (func (export "byte") (result i32) (i32.load8_u (i32.const 0)))
  (func (export "inside") (result i32) (i32x4.extract_lane 0 (v128.const i32x4 1 2 3 4)))
  (func (export "dead") (result i32) (return (i32.const 5)) (drop (v128.const i64x2 1 2)))
  (func (export "vector") (param v128))
  (func $write (drop (v128.const i64x2 0 0)) (i32.store8 (i32.const 1) (i32.const 9)))
  (func (export "write") (call $write))
  (func (export "one") (result i32) (i32.load8_u (i32.const 1)))
  (global (export "m") (mut i32) (i32.const 0))
  (global (export "g") v128 (v128.const i64x2 1 2)))
(register "a" $A)

(assert_return (invoke "byte") (i32.const 0))             ;; passes
(assert_return (invoke "dead") (i32.const 5))             ;; passes
(assert_return (invoke "inside") (i32.const 1))           ;; v128 inside: passes
(assert_return (invoke "vector" (v128.const i64x2 1 2)))  ;; a vector as an argument: passes
(assert_return (get "g") (v128.const i64x2 1 2))          ;; a global: passes
(invoke "write")                                          ;; an action with vectors: passes
(assert_return (invoke "one") (i32.const 9))              ;; what it has written: passes
(module (global $m (import "a" "m") (mut i32)) (memory 1)
  (func $start (global.set $m (i32.const 120))) (start $start)
  (func (export "f") (result i32) (i32.const 1)))         ;; shares a global, has another memory: passes
(assert_return (invoke "f") (i32.const 1))                ;; passes
(assert_return (get $A "m") (i32.const 120))              ;; what its start function wrote: passes
(assert_return (invoke $A "dead") (i32.const 5))          ;; passes all the same
(module (type (struct)) (func (export "f") (result i32) (i32.const 1)))
(assert_return (invoke "f") (i32.const 1))                ;; of that module
(module (func (export "f") (result i32) (i32.const 2)))   ;; a module that works again: passes
(assert_return (invoke "f") (i32.const 2))                ;; passes
