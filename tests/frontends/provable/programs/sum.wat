;; 1 + 2 + .. + n modulo 2^32
(module
  (func (export "run") (param $n i32) (result i32)
    (local $total i32)
    (block $end
      (loop $again
        (br_if $end (i32.eqz (local.get $n)))
        (local.set $total (i32.add (local.get $total) (local.get $n)))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br $again)))
    (local.get $total)))
