;; The assignment problem by the Hungarian method, 10 workers and 10 jobs: the least total cost, and the
;; job of every worker in order. There is one assignment of cost 206.
;;; RUN: cost
;;; RESULTS: 206
;;; RUN: jobs
;;; RESULTS: 8 5 2 3 0 4 1 9 6 7

(module
  ;; In words: 0 cost[10][10]; and for 0..10: 100 u, 120 v, 140 worker of a job, 160 way, 180 slack, 200 used.
  (memory 1)
  (data (i32.const 0)
    "\3d\00\00\00\3a\00\00\00\23\00\00\00\56\00\00\00\20\00\00\00\27\00\00\00\29\00\00\00\1b\00\00\00\15\00\00\00\2a\00\00\00"
    "\3b\00\00\00\4d\00\00\00\61\00\00\00\63\00\00\00\4e\00\00\00\15\00\00\00\59\00\00\00\48\00\00\00\23\00\00\00\3f\00\00\00"
    "\58\00\00\00\55\00\00\00\25\00\00\00\39\00\00\00\3b\00\00\00\61\00\00\00\25\00\00\00\1d\00\00\00\45\00\00\00\5e\00\00\00"
    "\20\00\00\00\52\00\00\00\35\00\00\00\14\00\00\00\4d\00\00\00\60\00\00\00\15\00\00\00\46\00\00\00\32\00\00\00\3d\00\00\00"
    "\0f\00\00\00\2c\00\00\00\51\00\00\00\0a\00\00\00\40\00\00\00\24\00\00\00\38\00\00\00\4e\00\00\00\14\00\00\00\45\00\00\00"
    "\4c\00\00\00\23\00\00\00\57\00\00\00\45\00\00\00\10\00\00\00\37\00\00\00\1a\00\00\00\25\00\00\00\1e\00\00\00\42\00\00\00"
    "\56\00\00\00\20\00\00\00\4a\00\00\00\5e\00\00\00\20\00\00\00\0e\00\00\00\18\00\00\00\0c\00\00\00\1f\00\00\00\46\00\00\00"
    "\61\00\00\00\3f\00\00\00\14\00\00\00\40\00\00\00\5a\00\00\00\15\00\00\00\1c\00\00\00\31\00\00\00\59\00\00\00\0a\00\00\00"
    "\3a\00\00\00\34\00\00\00\1b\00\00\00\4c\00\00\00\3d\00\00\00\23\00\00\00\11\00\00\00\5b\00\00\00\25\00\00\00\42\00\00\00"
    "\2a\00\00\00\4f\00\00\00\3d\00\00\00\1a\00\00\00\37\00\00\00\62\00\00\00\46\00\00\00\11\00\00\00\1a\00\00\00\56\00\00\00"
  )

  (func $cost (param $worker i32) (param $job i32) (result i32)   ;; both from 1
    (i32.load
      (i32.shl
        (i32.add
          (i32.mul (i32.sub (local.get $worker) (i32.const 1)) (i32.const 10))
          (i32.sub (local.get $job) (i32.const 1)))
        (i32.const 2))))

  ;; Finds a path from `worker` to a free job and assigns along it.
  (func $assign (param $worker i32)
    (local $job i32) (local $next i32) (local $j i32) (local $at i32)
    (local $delta i32) (local $slack i32) (local $holder i32)
    (i32.store offset=560 (i32.const 0) (local.get $worker))
    (local.set $j (i32.const 0))
    (loop $clear
      (local.set $at (i32.shl (local.get $j) (i32.const 2)))
      (i32.store offset=720 (local.get $at) (i32.const 999999))
      (i32.store offset=800 (local.get $at) (i32.const 0))
      (br_if $clear
        (i32.le_u (local.tee $j (i32.add (local.get $j) (i32.const 1))) (i32.const 10))))
    (loop $grow
      (i32.store offset=800 (i32.shl (local.get $job) (i32.const 2)) (i32.const 1))
      (local.set $holder (i32.load offset=560 (i32.shl (local.get $job) (i32.const 2))))
      (local.set $delta (i32.const 999999))
      (local.set $j (i32.const 1))
      (loop $look
        (local.set $at (i32.shl (local.get $j) (i32.const 2)))
        (if (i32.eqz (i32.load offset=800 (local.get $at)))
          (then
            (local.set $slack
              (i32.sub
                (i32.sub (call $cost (local.get $holder) (local.get $j))
                         (i32.load offset=400 (i32.shl (local.get $holder) (i32.const 2))))
                (i32.load offset=480 (local.get $at))))
            (if (i32.lt_s (local.get $slack) (i32.load offset=720 (local.get $at)))
              (then
                (i32.store offset=720 (local.get $at) (local.get $slack))
                (i32.store offset=640 (local.get $at) (local.get $job))))
            (if (i32.lt_s (i32.load offset=720 (local.get $at)) (local.get $delta))
              (then
                (local.set $delta (i32.load offset=720 (local.get $at)))
                (local.set $next (local.get $j))))))
        (br_if $look
          (i32.le_u (local.tee $j (i32.add (local.get $j) (i32.const 1))) (i32.const 10))))
      (local.set $j (i32.const 0))
      (loop $shift
        (local.set $at (i32.shl (local.get $j) (i32.const 2)))
        (if (i32.load offset=800 (local.get $at))
          (then
            (local.set $holder
              (i32.shl (i32.load offset=560 (local.get $at)) (i32.const 2)))
            (i32.store offset=400 (local.get $holder)
              (i32.add (i32.load offset=400 (local.get $holder)) (local.get $delta)))
            (i32.store offset=480 (local.get $at)
              (i32.sub (i32.load offset=480 (local.get $at)) (local.get $delta))))
          (else
            (i32.store offset=720 (local.get $at)
              (i32.sub (i32.load offset=720 (local.get $at)) (local.get $delta)))))
        (br_if $shift
          (i32.le_u (local.tee $j (i32.add (local.get $j) (i32.const 1))) (i32.const 10))))
      (local.set $job (local.get $next))
      (br_if $grow (i32.load offset=560 (i32.shl (local.get $job) (i32.const 2)))))
    (loop $back
      (local.set $next (i32.load offset=640 (i32.shl (local.get $job) (i32.const 2))))
      (i32.store offset=560 (i32.shl (local.get $job) (i32.const 2))
        (i32.load offset=560 (i32.shl (local.get $next) (i32.const 2))))
      (local.set $job (local.get $next))
      (br_if $back (local.get $job))))

  (func $solve
    (local $worker i32)
    (local.set $worker (i32.const 1))
    (loop $next
      (call $assign (local.get $worker))
      (br_if $next
        (i32.le_u (local.tee $worker (i32.add (local.get $worker) (i32.const 1))) (i32.const 10)))))

  (func (export "cost") (result i32)
    (call $solve)
    (i32.sub (i32.const 0) (i32.load offset=480 (i32.const 0))))

  (func $job_of (param $worker i32) (result i32)    ;; from 0, of a worker from 1
    (local $job i32)
    (loop $next
      (br_if $next
        (i32.ne
          (i32.load offset=560
            (i32.shl (local.tee $job (i32.add (local.get $job) (i32.const 1))) (i32.const 2)))
          (local.get $worker))))
    (i32.sub (local.get $job) (i32.const 1)))

  (func (export "jobs") (result i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
    (call $solve)
    (call $job_of (i32.const 1)) (call $job_of (i32.const 2)) (call $job_of (i32.const 3))
    (call $job_of (i32.const 4)) (call $job_of (i32.const 5)) (call $job_of (i32.const 6))
    (call $job_of (i32.const 7)) (call $job_of (i32.const 8)) (call $job_of (i32.const 9))
    (call $job_of (i32.const 10)))
)
