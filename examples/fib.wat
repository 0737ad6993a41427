;; Fibonacci numbers, by recursion and by iteration.
;;   txvm examples/fib.wat --invoke fib 20
(module
  (func $fib (export "fib") (param $n i32) (result i32)
    (if (result i32) (i32.lt_u (local.get $n) (i32.const 2))
      (then (local.get $n))
      (else
        (i32.add
          (call $fib (i32.sub (local.get $n) (i32.const 1)))
          (call $fib (i32.sub (local.get $n) (i32.const 2)))))))
  (func (export "fast") (param $n i32) (result i32)
    (local $low i32) (local $high i32)
    (local.set $high (i32.const 1))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $n)))
        (i32.add (local.get $low) (local.get $high))
        (local.set $low (local.get $high))
        (local.set $high)
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br $next)))
    (local.get $low)))
