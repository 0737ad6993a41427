;; work(n) = the bits of the energy of the sun and four planets after n steps of 0.01 years, low
;; word xor high word; f64. A body has 56 bytes: x, y, z, vx, vy, vz, mass. Five of them are at 0; as
;; they begin, at 512.
(module
  (memory 1)
  (data (i32.const 512) "\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\ea\f8\e0\a7\e9\67\39\bf\fb\89\50\fe\ec\d4\6a\bf\71\8a\0b\1f\33\19\f9\3e\de\45\be\c9\3c\bd\43\40")
  (data (i32.const 568) "\2c\d9\3c\34\a0\5d\13\40\7c\db\1f\c0\ab\90\f2\bf\f0\eb\25\6c\f9\86\ba\bf\bc\cc\93\9b\06\67\e3\3f\9b\94\7d\f5\f2\7e\06\40\15\07\5a\9a\d7\d2\99\bf\d8\33\ab\d9\95\4c\a3\3f")
  (data (i32.const 624) "\67\ca\32\c3\cd\af\20\40\b0\01\de\31\cb\7f\10\40\7c\46\eb\e1\53\d3\d9\bf\41\77\87\b8\21\2c\f0\bf\13\8f\1f\bf\e9\35\fd\3f\b4\23\11\5f\48\3c\81\3f\37\c6\07\0d\49\1d\87\3f")
  (data (i32.const 680) "\cf\d9\a7\ce\ea\c9\29\40\7e\66\26\d6\e8\38\2e\c0\a0\7d\25\be\57\95\cc\bf\ef\1b\91\a9\1c\53\f1\3f\c5\bb\54\3e\7f\cc\eb\3f\7c\3e\f2\fa\6b\2f\86\bf\b3\1e\f4\9c\d2\3d\5c\3f")
  (data (i32.const 736) "\2a\57\05\a9\67\c2\2e\40\20\a2\c8\33\58\eb\39\c0\40\e5\ab\93\f3\f1\c6\3f\4a\bc\59\16\b6\54\ef\3f\a3\fb\c4\31\c6\07\e3\3f\f6\65\76\58\88\cb\a1\bf\ac\99\17\53\f3\a8\60\3f")
  (func $square (param $x f64) (param $y f64) (param $z f64) (result f64)
    (f64.add
      (f64.add
        (f64.mul (local.get $x) (local.get $x))
        (f64.mul (local.get $y) (local.get $y)))
      (f64.mul (local.get $z) (local.get $z))))
  (func $advance
    (local $a i32) (local $b i32)
    (local $dx f64) (local $dy f64) (local $dz f64) (local $square f64) (local $pull f64)
    (loop $bodies
      (local.set $b (i32.add (local.get $a) (i32.const 56)))
      (loop $others
        (local.set $dx
          (f64.sub (f64.load (local.get $a)) (f64.load (local.get $b))))
        (local.set $dy
          (f64.sub (f64.load offset=8 (local.get $a)) (f64.load offset=8 (local.get $b))))
        (local.set $dz
          (f64.sub (f64.load offset=16 (local.get $a)) (f64.load offset=16 (local.get $b))))
        (local.set $square
          (call $square (local.get $dx) (local.get $dy) (local.get $dz)))
        (local.set $pull
          (f64.div
            (f64.const 0.01)
            (f64.mul (local.get $square) (f64.sqrt (local.get $square)))))
        (f64.store offset=24 (local.get $a)
          (f64.sub
            (f64.load offset=24 (local.get $a))
            (f64.mul (f64.mul (local.get $dx) (f64.load offset=48 (local.get $b)))
                     (local.get $pull))))
        (f64.store offset=24 (local.get $b)
          (f64.add
            (f64.load offset=24 (local.get $b))
            (f64.mul (f64.mul (local.get $dx) (f64.load offset=48 (local.get $a)))
                     (local.get $pull))))
        (f64.store offset=32 (local.get $a)
          (f64.sub
            (f64.load offset=32 (local.get $a))
            (f64.mul (f64.mul (local.get $dy) (f64.load offset=48 (local.get $b)))
                     (local.get $pull))))
        (f64.store offset=32 (local.get $b)
          (f64.add
            (f64.load offset=32 (local.get $b))
            (f64.mul (f64.mul (local.get $dy) (f64.load offset=48 (local.get $a)))
                     (local.get $pull))))
        (f64.store offset=40 (local.get $a)
          (f64.sub
            (f64.load offset=40 (local.get $a))
            (f64.mul (f64.mul (local.get $dz) (f64.load offset=48 (local.get $b)))
                     (local.get $pull))))
        (f64.store offset=40 (local.get $b)
          (f64.add
            (f64.load offset=40 (local.get $b))
            (f64.mul (f64.mul (local.get $dz) (f64.load offset=48 (local.get $a)))
                     (local.get $pull))))
        (local.set $b (i32.add (local.get $b) (i32.const 56)))
        (br_if $others (i32.lt_u (local.get $b) (i32.const 280))))
      (local.set $a (i32.add (local.get $a) (i32.const 56)))
      (br_if $bodies (i32.lt_u (local.get $a) (i32.const 224))))
    (local.set $a (i32.const 0))
    (loop $moves
      (f64.store (local.get $a)
        (f64.add
          (f64.load (local.get $a))
          (f64.mul (f64.const 0.01) (f64.load offset=24 (local.get $a)))))
      (f64.store offset=8 (local.get $a)
        (f64.add
          (f64.load offset=8 (local.get $a))
          (f64.mul (f64.const 0.01) (f64.load offset=32 (local.get $a)))))
      (f64.store offset=16 (local.get $a)
        (f64.add
          (f64.load offset=16 (local.get $a))
          (f64.mul (f64.const 0.01) (f64.load offset=40 (local.get $a)))))
      (local.set $a (i32.add (local.get $a) (i32.const 56)))
      (br_if $moves (i32.lt_u (local.get $a) (i32.const 280)))))
  (func $energy (result f64)
    (local $a i32) (local $b i32) (local $sum f64)
    (loop $bodies
      (local.set $sum
        (f64.add
          (local.get $sum)
          (f64.mul
            (f64.mul (f64.const 0.5) (f64.load offset=48 (local.get $a)))
            (call $square
              (f64.load offset=24 (local.get $a))
              (f64.load offset=32 (local.get $a))
              (f64.load offset=40 (local.get $a))))))
      (local.set $b (i32.add (local.get $a) (i32.const 56)))
      (block $out
        (loop $others
          (br_if $out (i32.ge_u (local.get $b) (i32.const 280)))
          (local.set $sum
            (f64.sub
              (local.get $sum)
              (f64.div
                (f64.mul (f64.load offset=48 (local.get $a)) (f64.load offset=48 (local.get $b)))
                (f64.sqrt
                  (call $square
                    (f64.sub (f64.load (local.get $a)) (f64.load (local.get $b)))
                    (f64.sub (f64.load offset=8 (local.get $a)) (f64.load offset=8 (local.get $b)))
                    (f64.sub (f64.load offset=16 (local.get $a))
                             (f64.load offset=16 (local.get $b))))))))
          (local.set $b (i32.add (local.get $b) (i32.const 56)))
          (br $others)))
      (local.set $a (i32.add (local.get $a) (i32.const 56)))
      (br_if $bodies (i32.lt_u (local.get $a) (i32.const 280))))
    (local.get $sum))
  (func $work (param $n i32) (result i32)
    (local $bits i64)
    (memory.copy (i32.const 0) (i32.const 512) (i32.const 280))
    (block $out
      (loop $steps
        (br_if $out (i32.eqz (local.get $n)))
        (call $advance)
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br $steps)))
    (local.set $bits (i64.reinterpret_f64 (call $energy)))
    (i32.xor
      (i32.wrap_i64 (local.get $bits))
      (i32.wrap_i64 (i64.shr_u (local.get $bits) (i64.const 32)))))

  ;; run(n, reps): acc = acc*31 + work(n), reps times, from acc = 0
  (func (export "run") (param $n i32) (param $reps i32) (result i32)
    (local $acc i32)
    (block $out
      (loop $next
        (br_if $out (i32.eqz (local.get $reps)))
        (local.set $acc
          (i32.add (i32.mul (local.get $acc) (i32.const 31)) (call $work (local.get $n))))
        (local.set $reps (i32.sub (local.get $reps) (i32.const 1)))
        (br $next)))
    (local.get $acc)))
