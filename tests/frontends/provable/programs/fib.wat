;; the n-th Fibonacci number modulo 2^32
(module
  (func (export "run") (param $n i32) (result i32)
    (local $a i32) (local $b i32) (local $next i32)
    (local.set $b (i32.const 1))
    (block $end
      (loop $again
        (br_if $end (i32.eqz (local.get $n)))
        (local.set $next (i32.add (local.get $a) (local.get $b)))
        (local.set $a (local.get $b))
        (local.set $b (local.get $next))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br $again)))
    (local.get $a)))
