;; Solves a Sudoku inside the machine: depth-first search, always at the empty cell with the fewest
;; candidates. The grid is Arto Inkala's of 2010, "the hardest Sudoku". Rows come out as nine-digit numbers, in order.
;;; RUN: solution
;;; RESULTS: 812753649 943682175 675491283 154237896 369845721 287169534 521974368 438526917 796318452
;;; RUN: placements
;;; RESULTS: 10101
;;; RUN: solve
;;; RESULTS: 1
;;; RUN: contradiction
;;; RESULTS: 0

(module
  ;; 0: 81 cells, one byte each, 0 = empty. 128, 192, 256: for each row, column and box the set of
  ;; digits in it, bit d for digit d.
  (memory 1)
  (data (i32.const 0)
    "\08\00\00\00\00\00\00\00\00"  ;; 800000000
    "\00\00\03\06\00\00\00\00\00"  ;; 003600000
    "\00\07\00\00\09\00\02\00\00"  ;; 070090200
    "\00\05\00\00\00\07\00\00\00"  ;; 050007000
    "\00\00\00\00\04\05\07\00\00"  ;; 000045700
    "\00\00\00\01\00\00\00\03\00"  ;; 000100030
    "\00\00\01\00\00\00\00\06\08"  ;; 001000068
    "\00\00\08\05\00\00\00\01\00"  ;; 008500010
    "\00\09\00\00\00\00\04\00\00"  ;; 090000400
  )
  (global $placements (mut i32) (i32.const 0))

  (func $row_of (param $cell i32) (result i32)      ;; address of its row's set
    (i32.add (i32.const 128) (i32.shl (i32.div_u (local.get $cell) (i32.const 9)) (i32.const 2))))
  (func $column_of (param $cell i32) (result i32)
    (i32.add (i32.const 192) (i32.shl (i32.rem_u (local.get $cell) (i32.const 9)) (i32.const 2))))
  (func $box_of (param $cell i32) (result i32)
    (i32.add (i32.const 256)
      (i32.shl
        (i32.add
          (i32.mul (i32.div_u (local.get $cell) (i32.const 27)) (i32.const 3))
          (i32.div_u (i32.rem_u (local.get $cell) (i32.const 9)) (i32.const 3)))
        (i32.const 2))))

  ;; Adds the digit `bit` to the three sets of a cell, or takes it out.
  (func $toggle (param $cell i32) (param $bit i32)
    (local $set i32)
    (i32.store (local.tee $set (call $row_of (local.get $cell)))
      (i32.xor (i32.load (local.get $set)) (local.get $bit)))
    (i32.store (local.tee $set (call $column_of (local.get $cell)))
      (i32.xor (i32.load (local.get $set)) (local.get $bit)))
    (i32.store (local.tee $set (call $box_of (local.get $cell)))
      (i32.xor (i32.load (local.get $set)) (local.get $bit))))

  ;; The digits that may stand in an empty cell.
  (func $candidates (param $cell i32) (result i32)
    (i32.and (i32.const 0x3fe)
      (i32.xor (i32.const -1)
        (i32.or
          (i32.or (i32.load (call $row_of (local.get $cell)))
                  (i32.load (call $column_of (local.get $cell))))
          (i32.load (call $box_of (local.get $cell)))))))

  (func $enter_clues
    (local $cell i32) (local $digit i32)
    (loop $next
      (if (local.tee $digit (i32.load8_u (local.get $cell)))
        (then (call $toggle (local.get $cell) (i32.shl (i32.const 1) (local.get $digit)))))
      (br_if $next
        (i32.lt_u (local.tee $cell (i32.add (local.get $cell) (i32.const 1))) (i32.const 81)))))

  ;; The empty cell with the fewest candidates, and these; -1 when no cell is empty.
  (func $hardest (result i32 i32)
    (local $cell i32) (local $set i32) (local $best i32) (local $best_set i32) (local $fewest i32)
    (local.set $best (i32.const -1))
    (local.set $fewest (i32.const 10))
    (loop $next
      (if (i32.eqz (i32.load8_u (local.get $cell)))
        (then
          (local.set $set (call $candidates (local.get $cell)))
          (if (i32.lt_u (i32.popcnt (local.get $set)) (local.get $fewest))
            (then
              (local.set $fewest (i32.popcnt (local.get $set)))
              (local.set $best (local.get $cell))
              (local.set $best_set (local.get $set))))))
      (br_if $next
        (i32.lt_u (local.tee $cell (i32.add (local.get $cell) (i32.const 1))) (i32.const 81))))
    (local.get $best)
    (local.get $best_set))

  ;; Fills the grid from here on; 0 when that is impossible, and the grid is as before.
  (func $search (result i32)
    (local $cell i32) (local $set i32) (local $bit i32)
    (call $hardest)
    (local.set $set)
    (local.set $cell)
    (if (i32.lt_s (local.get $cell) (i32.const 0)) (then (return (i32.const 1))))
    (block $none
      (loop $try
        (br_if $none (i32.eqz (local.get $set)))
        (local.set $bit (i32.and (local.get $set) (i32.sub (i32.const 0) (local.get $set))))
        (local.set $set (i32.xor (local.get $set) (local.get $bit)))
        (global.set $placements (i32.add (global.get $placements) (i32.const 1)))
        (i32.store8 (local.get $cell) (i32.ctz (local.get $bit)))
        (call $toggle (local.get $cell) (local.get $bit))
        (if (call $search) (then (return (i32.const 1))))
        (call $toggle (local.get $cell) (local.get $bit))
        (i32.store8 (local.get $cell) (i32.const 0))
        (br $try)))
    (i32.const 0))

  (func $solve (export "solve") (result i32)
    (call $enter_clues)
    (call $search))

  ;; A row as a number of nine digits.
  (func $row (param $row i32) (result i32)
    (local $cell i32) (local $end i32) (local $number i32)
    (local.set $cell (i32.mul (local.get $row) (i32.const 9)))
    (local.set $end (i32.add (local.get $cell) (i32.const 9)))
    (loop $next
      (local.set $number
        (i32.add (i32.mul (local.get $number) (i32.const 10)) (i32.load8_u (local.get $cell))))
      (br_if $next
        (i32.lt_u (local.tee $cell (i32.add (local.get $cell) (i32.const 1))) (local.get $end))))
    (local.get $number))

  (func (export "solution") (result i32 i32 i32 i32 i32 i32 i32 i32 i32)
    (drop (call $solve))
    (call $row (i32.const 0)) (call $row (i32.const 1)) (call $row (i32.const 2))
    (call $row (i32.const 3)) (call $row (i32.const 4)) (call $row (i32.const 5))
    (call $row (i32.const 6)) (call $row (i32.const 7)) (call $row (i32.const 8)))

  ;; How many digits were placed to find it, those taken back included.
  (func (export "placements") (result i32)
    (drop (call $solve))
    (global.get $placements))

  ;; The grid with a second 8 in the first row has no solution.
  (func (export "contradiction") (result i32)
    (i32.store8 (i32.const 8) (i32.const 8))
    (call $enter_clues)
    (i32.store (i32.const 128) (i32.or (i32.load (i32.const 128)) (i32.const 256)))
    (call $search))
)
