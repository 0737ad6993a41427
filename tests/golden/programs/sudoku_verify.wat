;; Checks a solved Sudoku as the original did: an empty cell of the puzzle counts when none of its 20
;; peers in the solution holds its digit. 60 cells are empty. `swapped` exchanges two digits first, which a check of
;; sums would not see.
;;; RUN: verify
;;; RESULTS: 60
;;; RUN: swapped 1 2
;;; RESULTS: 57
;;; RUN: swapped 1 1
;;; RESULTS: 60
;;; RUN: keeps_clues
;;; RESULTS: 1

(module
  (memory 1)
  (data (i32.const 0)     ;; the puzzle, one byte a cell
    "\08\00\00\00\00\00\00\00\00"
    "\00\00\03\06\00\00\00\00\00"
    "\00\07\00\00\09\00\02\00\00"
    "\00\05\00\00\00\07\00\00\00"
    "\00\00\00\00\04\05\07\00\00"
    "\00\00\00\01\00\00\00\03\00"
    "\00\00\01\00\00\00\00\06\08"
    "\00\00\08\05\00\00\00\01\00"
    "\00\09\00\00\00\00\04\00\00"
  )
  (data (i32.const 128)   ;; its solution
    "\08\01\02\07\05\03\06\04\09"
    "\09\04\03\06\08\02\01\07\05"
    "\06\07\05\04\09\01\02\08\03"
    "\01\05\04\02\03\07\08\09\06"
    "\03\06\09\08\04\05\07\02\01"
    "\02\08\07\01\06\09\05\03\04"
    "\05\02\01\09\07\04\03\06\08"
    "\04\03\08\05\02\06\09\01\07"
    "\07\09\06\03\01\08\04\05\02"
  )

  ;; Whether two different cells share a row, a column or a box.
  (func $are_peers (param $a i32) (param $b i32) (result i32)
    (if (i32.eq (local.get $a) (local.get $b)) (then (return (i32.const 0))))
    (i32.or
      (i32.or
        (i32.eq (i32.div_u (local.get $a) (i32.const 9)) (i32.div_u (local.get $b) (i32.const 9)))
        (i32.eq (i32.rem_u (local.get $a) (i32.const 9)) (i32.rem_u (local.get $b) (i32.const 9))))
      (i32.and
        (i32.eq (i32.div_u (local.get $a) (i32.const 27)) (i32.div_u (local.get $b) (i32.const 27)))
        (i32.eq
          (i32.div_u (i32.rem_u (local.get $a) (i32.const 9)) (i32.const 3))
          (i32.div_u (i32.rem_u (local.get $b) (i32.const 9)) (i32.const 3))))))

  ;; 1 when exactly 20 peers differ from the cell.
  (func $is_right (param $cell i32) (result i32)
    (local $other i32) (local $different i32)
    (loop $next
      (local.set $different
        (i32.add (local.get $different)
          (i32.and
            (call $are_peers (local.get $cell) (local.get $other))
            (i32.ne (i32.load8_u offset=128 (local.get $cell))
                    (i32.load8_u offset=128 (local.get $other))))))
      (br_if $next
        (i32.lt_u (local.tee $other (i32.add (local.get $other) (i32.const 1))) (i32.const 81))))
    (i32.eq (local.get $different) (i32.const 20)))

  (func $verify (export "verify") (result i32)
    (local $cell i32) (local $right i32)
    (loop $next
      (if (i32.eqz (i32.load8_u (local.get $cell)))
        (then
          (local.set $right (i32.add (local.get $right) (call $is_right (local.get $cell))))))
      (br_if $next
        (i32.lt_u (local.tee $cell (i32.add (local.get $cell) (i32.const 1))) (i32.const 81))))
    (local.get $right))

  ;; Exchanges two cells of the solution, then verifies.
  (func (export "swapped") (param $a i32) (param $b i32) (result i32)
    (local $digit i32)
    (local.set $digit (i32.load8_u offset=128 (local.get $a)))
    (i32.store8 offset=128 (local.get $a) (i32.load8_u offset=128 (local.get $b)))
    (i32.store8 offset=128 (local.get $b) (local.get $digit))
    (call $verify))

  ;; Whether every clue of the puzzle stands in the solution.
  (func (export "keeps_clues") (result i32)
    (local $cell i32) (local $clue i32)
    (loop $next
      (local.set $clue (i32.load8_u (local.get $cell)))
      (if (i32.and (i32.ne (local.get $clue) (i32.const 0))
                   (i32.ne (local.get $clue) (i32.load8_u offset=128 (local.get $cell))))
        (then (return (i32.const 0))))
      (br_if $next
        (i32.lt_u (local.tee $cell (i32.add (local.get $cell) (i32.const 1))) (i32.const 81))))
    (i32.const 1))
)
