;; f32 and f64 are numbers with a fraction, rounded to 24 and 53 bits.
;;   txvm examples/learn/11_floats.wat                         prints 1.4142135623730951, the root of
;;                                                             2, then 0.30000000000000004, for
;;                                                             0.1 + 0.2 is not quite 0.3
;;   txvm examples/learn/11_floats.wat --invoke root 81        prints 9
(module
  (func $root (export "root") (param $x f64) (result f64)
    (f64.sqrt (local.get $x)))
  (func (export "main") (result f64 f64)
    (call $root (f64.const 2))
    (f64.add (f64.const 0.1) (f64.const 0.2))))
