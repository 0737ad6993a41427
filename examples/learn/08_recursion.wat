;; A function may call itself: each call has locals of its own.
;;   txvm examples/learn/08_recursion.wat                      prints 3628800: 10 * 9 * ... * 1
;;   txvm view examples/learn/08_recursion.wat -o run.html     shows the calls pile up, as a page
(module
  (func $factorial (export "factorial") (param $n i32) (result i32)
    (if (result i32) (i32.eqz (local.get $n))
      (then (i32.const 1))
      (else
        (i32.mul (local.get $n)
                 (call $factorial (i32.sub (local.get $n) (i32.const 1)))))))
  (func (export "main") (result i32)
    (call $factorial (i32.const 10))))
