;; primes up to n, by the sieve of Eratosthenes on bytes
(module
  (memory 1)
  (func (export "run") (param $n i32) (result i32)
    (local $p i32) (local $multiple i32) (local $count i32)
    (local.set $p (i32.const 2))
    (block $end
      (loop $next
        (br_if $end (i32.gt_u (local.get $p) (local.get $n)))
        (if (i32.eqz (i32.load8_u (local.get $p)))
          (then
            (local.set $count (i32.add (local.get $count) (i32.const 1)))
            (local.set $multiple (i32.mul (local.get $p) (local.get $p)))
            (block $struck
              (loop $strike
                (br_if $struck (i32.gt_u (local.get $multiple) (local.get $n)))
                (i32.store8 (local.get $multiple) (i32.const 1))
                (local.set $multiple (i32.add (local.get $multiple) (local.get $p)))
                (br $strike)))))
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (br $next)))
    (local.get $count)))
