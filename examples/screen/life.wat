;; Conway's game of life on a torus of 128 x 128 cells.
;;   txvm play examples/screen/life.wat
;;   txvm play examples/screen/life.wat --frames 100 --gif life.gif
(module
  (import "screen" "draw" (func $draw (param i32 i32 i32)))
  ;; 0: cells, a byte each; 16384: the next generation; 32768: pixels.
  (memory (export "memory") 2)
  (global $seed (mut i32) (i32.const 2463534242))

  (func $random (result i32)  ;; Marsaglia's xorshift
    (global.set $seed (i32.xor (global.get $seed) (i32.shl (global.get $seed) (i32.const 13))))
    (global.set $seed (i32.xor (global.get $seed) (i32.shr_u (global.get $seed) (i32.const 17))))
    (global.set $seed (i32.xor (global.get $seed) (i32.shl (global.get $seed) (i32.const 5))))
    (global.get $seed))

  (func $cell (param $x i32) (param $y i32) (result i32)
    (i32.load8_u (i32.or (i32.and (local.get $x) (i32.const 127))
                         (i32.shl (i32.and (local.get $y) (i32.const 127)) (i32.const 7)))))

  (func $neighbours (param $x i32) (param $y i32) (result i32)
    (local $left i32) (local $right i32) (local $above i32) (local $below i32)
    (local.set $left (i32.sub (local.get $x) (i32.const 1)))
    (local.set $right (i32.add (local.get $x) (i32.const 1)))
    (local.set $above (i32.sub (local.get $y) (i32.const 1)))
    (local.set $below (i32.add (local.get $y) (i32.const 1)))
    (call $cell (local.get $left) (local.get $above))
    (i32.add (call $cell (local.get $x) (local.get $above)))
    (i32.add (call $cell (local.get $right) (local.get $above)))
    (i32.add (call $cell (local.get $left) (local.get $y)))
    (i32.add (call $cell (local.get $right) (local.get $y)))
    (i32.add (call $cell (local.get $left) (local.get $below)))
    (i32.add (call $cell (local.get $x) (local.get $below)))
    (i32.add (call $cell (local.get $right) (local.get $below))))

  ;; The pixel of a cell goes from green to black while it is dead.
  (func $paint (param $i i32) (param $alive i32)
    (local $pixel i32) (local $old i32)
    (local.set $pixel (i32.add (i32.const 32768) (i32.shl (local.get $i) (i32.const 2))))
    (local.set $old (i32.load (local.get $pixel)))
    (i32.store (local.get $pixel)
      (select (i32.const 0xF0E8A0)
              (i32.and (i32.shr_u (i32.and (local.get $old) (i32.const 0x00FEFEFE)) (i32.const 1))
                       (i32.const 0x001F7F3F))
              (local.get $alive))))

  (func $generation
    (local $x i32) (local $y i32) (local $i i32) (local $count i32) (local $alive i32)
    (loop $cells
      (local.set $x (i32.and (local.get $i) (i32.const 127)))
      (local.set $y (i32.shr_u (local.get $i) (i32.const 7)))
      (local.set $count (call $neighbours (local.get $x) (local.get $y)))
      (local.set $alive
        (i32.eq (i32.or (local.get $count) (call $cell (local.get $x) (local.get $y)))
                (i32.const 3)))
      (i32.store8 offset=16384 (local.get $i) (local.get $alive))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $cells (i32.lt_u (local.get $i) (i32.const 16384))))
    (local.set $i (i32.const 0))
    (loop $copy
      (i32.store8 (local.get $i) (i32.load8_u offset=16384 (local.get $i)))
      (call $paint (local.get $i) (i32.load8_u (local.get $i)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $copy (i32.lt_u (local.get $i) (i32.const 16384)))))

  (func (export "main")
    (local $i i32)
    (loop $seeds
      (i32.store8 (local.get $i) (i32.eqz (i32.and (call $random) (i32.const 3))))
      (call $paint (local.get $i) (i32.load8_u (local.get $i)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $seeds (i32.lt_u (local.get $i) (i32.const 16384))))
    (loop $frames
      (call $draw (i32.const 32768) (i32.const 128) (i32.const 128))
      (call $generation)
      (br $frames))))
