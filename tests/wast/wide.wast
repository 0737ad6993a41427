;; i64 in arguments, results, globals and between modules. Three expectations are wrong.

(module $A
  (global (export "before") (mut i64) (i64.const -2))
  (global (export "wide") i64 (i64.const 0x500000006))
  (global $count (export "count") (mut i32) (i32.const 7))
  (func (export "add") (param i64 i64) (result i64) (i64.add (local.get 0) (local.get 1)))
  (func (export "mixed") (param i32 i64 i32) (result i64 i32)
    (local.get 1) (i32.sub (local.get 0) (local.get 2)))
  (func (export "words") (param i32 i32) (result i32 i32) (local.get 0) (local.get 1))
  (func (export "div") (param i64 i64) (result i64) (i64.div_s (local.get 0) (local.get 1)))
  (func (export "inside") (result i32)
    (global.set $count (i32.wrap_i64 (i64.const 0x100000009))) (global.get $count)))
(register "a" $A)

(assert_return (invoke "add" (i64.const 0xffffffff) (i64.const 1)) (i64.const 0x100000000))
(assert_return (invoke "mixed" (i32.const 1) (i64.const -5) (i32.const 3)) (i64.const -5) (i32.const -2))
(assert_trap (invoke "div" (i64.const 1) (i64.const 0)) "integer divide by zero")
(assert_trap (invoke "div" (i64.const 0x8000000000000000) (i64.const -1)) "integer overflow")
(assert_return (get "before") (i64.const -2))
(assert_return (get "wide") (i64.const 0x500000006))
(assert_return (invoke "inside") (i32.const 9))
(assert_return (get "count") (i32.const 9))

(module
  (import "a" "add" (func $add (param i64 i64) (result i64)))
  (import "a" "wide" (global $wide i64))
  (import "spectest" "global_i64" (global $host i64))
  (import "spectest" "print_i64" (func $print (param i64)))
  (global (export "copy") i64 (global.get $wide))
  (func (export "sum") (result i64)
    (call $print (i64.const 1)) (call $add (global.get $wide) (global.get $host))))
(assert_return (invoke "sum") (i64.const 0x5000002a0))
(assert_return (get "copy") (i64.const 0x500000006))

(assert_return (invoke "sum") (i64.const 0x2a0))                                ;; fails: the high word
(assert_return (invoke $A "words" (i32.const 1) (i32.const 2)) (i64.const 0x200000001))  ;; fails: a type
(assert_return (invoke $A "words" (i64.const 1)) (i32.const 1) (i32.const 0))            ;; fails: a type
