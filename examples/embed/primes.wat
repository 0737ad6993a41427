;; Primes up to n by sieve; tells the host each one. share(n, k) divides, and traps for k = 0.
(module
  (import "host" "prime" (func $prime (param i32)))
  (memory 1 1)
  (func (export "primes") (param $n i32) (result i32)
    (local $i i32) (local $j i32) (local $count i32)
    (local.set $i (i32.const 2))
    (block $done
      (loop $next
        (br_if $done (i32.gt_u (local.get $i) (local.get $n)))
        (if (i32.eqz (i32.load8_u (local.get $i)))
          (then
            (call $prime (local.get $i))
            (local.set $count (i32.add (local.get $count) (i32.const 1)))
            (local.set $j (i32.mul (local.get $i) (local.get $i)))
            (block $struck
              (loop $strike
                (br_if $struck (i32.gt_u (local.get $j) (local.get $n)))
                (i32.store8 (local.get $j) (i32.const 1))
                (local.set $j (i32.add (local.get $j) (local.get $i)))
                (br $strike)))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))
    (local.get $count))
  (func (export "share") (param $n i32) (param $k i32) (result i32)
    (i32.div_u (local.get $n) (local.get $k))))
