;; The WAT and C programs of the original's front ends, and the forms that its parser got wrong or
;; refused: nested folded expressions, branches with values, names, memory offsets, several functions, data.
;;; RUN: fib 10
;;; RESULTS: 55
;;; RUN: fact 5
;;; RESULTS: 120
;;; RUN: largest
;;; RESULTS: 5
;;; RUN: sorted
;;; RESULTS: 1 2 3 4 5
;;; RUN: sum 10
;;; RESULTS: 55
;;; RUN: power 7
;;; RESULTS: 128
;;; RUN: if_else 1
;;; RESULTS: 10
;;; RUN: if_else 0
;;; RESULTS: 20
;;; RUN: nested_blocks
;;; RESULTS: 1
;;; RUN: arithmetic
;;; RESULTS: 14
;;; RUN: bits
;;; RESULTS: 255
;;; RUN: negative
;;; RESULTS: -5
;;; RUN: hexadecimal
;;; RESULTS: 26
;;; RUN: add 3 5
;;; RESULTS: 8
;;; RUN: add 100 200
;;; RESULTS: 300
;;; RUN: folded
;;; RESULTS: 8
;;; RUN: folded_deep
;;; RESULTS: 10
;;; RUN: folded_mixed
;;; RESULTS: 10
;;; RUN: collatz_steps 6
;;; RESULTS: 8
;;; RUN: collatz_steps 1
;;; RESULTS: 0
;;; RUN: collatz_steps 27
;;; RESULTS: 111
;;; RUN: sum_below 10
;;; RESULTS: 45
;;; RUN: sum_below 5
;;; RESULTS: 10
;;; RUN: fact 1
;;; RESULTS: 1
;;; RUN: fact 10
;;; RESULTS: 3628800
;;; RUN: fact 7
;;; RESULTS: 5040
;;; RUN: branch_from_block
;;; RESULTS: 5
;;; RUN: offset_load
;;; RESULTS: 1819043144
;;; RUN: calls_earlier
;;; RESULTS: 4
;;; RUN: equal_at_the_top
;;; RESULTS: 1
;;; RUN: unreachable
;;; TRAP: unreachable
;;; RUN: quotient -16 3
;;; RESULTS: -5
;;; RUN: remainder -94 7
;;; RESULTS: -3
;;; RUN: smaller -2 2
;;; RESULTS: -2
;;; RUN: string_length
;;; RESULTS: 12
;;; RUN: table_lookup 3
;;; RESULTS: 25
;;; RUN: counter
;;; RESULTS: 3
;;; RUN: grown
;;; RESULTS: 1 2

(module
  (memory 1 2)
  (data (i32.const 8) "Hello, world\00")
  (data (i32.const 64) "\01\00\00\00\04\00\00\00\10\00\00\00\19\00\00\00")
  (global $count (mut i32) (i32.const 0))

  (func $three (result i32) i32.const 3)
  (func (export "calls_earlier") (result i32) call $three i32.const 1 i32.add)

  (func (export "fib") (param $n i32) (result i32)
    (local $a i32) (local $b i32)
    (local.set $b (i32.const 1))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $n)))
        (local.get $b)
        (local.set $b (i32.add (local.get $a) (local.get $b)))
        (local.set $a)
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br $next)))
    (local.get $a))

  (func $fact (export "fact") (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (i32.mul (local.get 0) (call $fact (i32.sub (local.get 0) (i32.const 1)))))
      (else (i32.const 1))))

  ;; Sorts [5,3,1,4,2] in five locals by exchanging neighbours.
  (func $order (param $a i32) (param $b i32) (result i32 i32)
    (select (local.get $a) (local.get $b) (i32.le_s (local.get $a) (local.get $b)))
    (select (local.get $b) (local.get $a) (i32.le_s (local.get $a) (local.get $b))))
  (func $sorted (export "sorted") (result i32 i32 i32 i32 i32)
    (local $a i32) (local $b i32) (local $c i32) (local $d i32) (local $e i32) (local $round i32)
    (local.set $a (i32.const 5)) (local.set $b (i32.const 3)) (local.set $c (i32.const 1))
    (local.set $d (i32.const 4)) (local.set $e (i32.const 2))
    (loop $again
      (call $order (local.get $a) (local.get $b)) (local.set $b) (local.set $a)
      (call $order (local.get $b) (local.get $c)) (local.set $c) (local.set $b)
      (call $order (local.get $c) (local.get $d)) (local.set $d) (local.set $c)
      (call $order (local.get $d) (local.get $e)) (local.set $e) (local.set $d)
      (br_if $again
        (i32.lt_u (local.tee $round (i32.add (local.get $round) (i32.const 1))) (i32.const 5))))
    (local.get $a) (local.get $b) (local.get $c) (local.get $d) (local.get $e))
  (func (export "largest") (result i32)
    (local $kept i32)
    (call $sorted) (local.set $kept) drop drop drop drop (local.get $kept))

  (func (export "sum") (param $n i32) (result i32)
    (local $sum i32)
    loop $next
      local.get $sum
      local.get $n
      i32.add
      local.set $sum
      local.get $n
      i32.const 1
      i32.sub
      local.tee $n
      br_if $next
    end
    local.get $sum)

  (func (export "power") (param $n i32) (result i32)
    (i32.shl (i32.const 1) (local.get $n)))

  (func (export "if_else") (param i32) (result i32)
    local.get 0
    if $named (result i32)
      i32.const 10
    else
      i32.const 20
    end)

  (func (export "nested_blocks") (result i32)
    block $outer (result i32)
      block $inner
        i32.const 1
        br $outer
      end $inner
      i32.const 2
    end $outer)

  (func (export "arithmetic") (result i32)
    (i32.mul (i32.sub (i32.const 10) (i32.const 3)) (i32.const 2)))
  (func (export "bits") (result i32)
    (i32.or (i32.and (i32.const 0xf0f0) (i32.const 0xff)) (i32.xor (i32.const 0xff) (i32.const 0xf0))))
  (func (export "negative") (result i32) i32.const -5)
  (func (export "hexadecimal") (result i32) i32.const 0x1A)
  (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "folded") (result i32) (i32.add (i32.const 3) (i32.const 5)))
  (func (export "folded_deep") (result i32)
    (i32.add (i32.add (i32.add (i32.const 1) (i32.const 2)) (i32.const 3)) (i32.const 4)))
  (func (export "folded_mixed") (result i32)
    (i32.add (i32.mul (i32.const 2) (i32.const 3)) (i32.const 4)))

  (func (export "collatz_steps") (param $n i32) (result i32)
    (local $steps i32)
    (block $done
      (loop $next
        (br_if $done (i32.eq (local.get $n) (i32.const 1)))
        (local.set $n
          (if (result i32) (i32.and (local.get $n) (i32.const 1))
            (then (i32.add (i32.mul (local.get $n) (i32.const 3)) (i32.const 1)))
            (else (i32.shr_u (local.get $n) (i32.const 1)))))
        (local.set $steps (i32.add (local.get $steps) (i32.const 1)))
        (br $next)))
    (local.get $steps))

  (func (export "sum_below") (param $n i32) (result i32)
    (local $i i32) (local $sum i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_s (local.get $i) (local.get $n)))
        (local.set $sum (i32.add (local.get $sum) (local.get $i)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))
    (local.get $sum))

  (func (export "branch_from_block") (result i32)
    (block $b i32.const 1 br_if $b i32.const 5 drop)
    i32.const 5)
  (func (export "offset_load") (result i32) (; "Hell" ;) i32.const 0 i32.load offset=8)
  (func (export "equal_at_the_top") (result i32) i32.const 0xffffffff i32.const -1 i32.eq)
  (func (export "unreachable") (result i32) unreachable)

  (func (export "quotient") (param i32 i32) (result i32) (i32.div_s (local.get 0) (local.get 1)))
  (func (export "remainder") (param i32 i32) (result i32) (i32.rem_s (local.get 0) (local.get 1)))
  (func (export "smaller") (param i32 i32) (result i32)
    (select (local.get 0) (local.get 1) (i32.lt_s (local.get 0) (local.get 1))))
  (func (export "string_length") (result i32)
    (local $at i32)
    (local.set $at (i32.const 8))
    (block $end
      (loop $next
        (br_if $end (i32.eqz (i32.load8_u (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (i32.sub (local.get $at) (i32.const 8)))
  (func (export "table_lookup") (param i32) (result i32)
    (i32.load offset=64 (i32.shl (local.get 0) (i32.const 2))))
  (func $tick (global.set $count (i32.add (global.get $count) (i32.const 1))))
  (func (export "counter") (result i32) call $tick call $tick call $tick global.get $count)
  (func (export "grown") (result i32 i32)
    (drop (memory.grow (i32.const 5)))
    (memory.grow (i32.const 1))
    memory.size)
)
