;; A module asks for what it cannot do itself. Nobody provides console.log here, so txvm prints the
;; arguments, each as its type is, and says that it does.
;;   txvm examples/learn/13_imports.wat                                     prints 1 2.5 -3
;;   txvm examples/learn/13_imports.wat --import console.log=nothing        prints nothing
;;   txvm examples/learn/13_imports.wat --strict-imports                    refuses to run
(module
  (import "console" "log" (func $log (param i32 f64 i64)))
  (func (export "main")
    (call $log (i32.const 1) (f64.const 2.5) (i64.const -3))))
