;; the n-th Fibonacci number by two calls of itself
(module
  (func $fib (export "run") (param $n i32) (result i32)
    (if (i32.le_u (local.get $n) (i32.const 1)) (then (return (local.get $n))))
    (i32.add
      (call $fib (i32.sub (local.get $n) (i32.const 1)))
      (call $fib (i32.sub (local.get $n) (i32.const 2))))))
