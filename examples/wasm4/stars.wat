;; Stars that fly past, for the WASM-4 console: the arrows steer, X is faster.
;;   txvm play examples/wasm4/stars.wat
(module
  (import "env" "memory" (memory 1))
  (import "env" "rect" (func $rect (param i32 i32 i32 i32)))
  (import "env" "text" (func $text (param i32 i32 i32)))
  (import "env" "oval" (func $oval (param i32 i32 i32 i32)))
  ;; A star: x and y from the middle, -4096 to 4095, and its distance, 1 to 1023.
  (global $stars i32 (i32.const 0x2000))
  (global $end i32 (i32.const 0x2780))  ;; 160 stars of 12 bytes
  (global $seed (mut i32) (i32.const 12345))
  (data (i32.const 0x19a0) "stars\00")

  (func $draw (param $below i32) (result i32)
    (global.set $seed
      (i32.add (i32.mul (global.get $seed) (i32.const 1664525)) (i32.const 1013904223)))
    (i32.rem_u (i32.shr_u (global.get $seed) (i32.const 8)) (local.get $below)))

  (func $place (param $star i32) (param $distance i32)
    (i32.store (local.get $star) (i32.sub (call $draw (i32.const 8192)) (i32.const 4096)))
    (i32.store offset=4 (local.get $star)
      (i32.sub (call $draw (i32.const 8192)) (i32.const 4096)))
    (i32.store offset=8 (local.get $star) (local.get $distance)))

  ;; 1 where the bit is set in the gamepad.
  (func $held (param $bit i32) (result i32)
    (i32.and (i32.shr_u (i32.load8_u (i32.const 0x16)) (local.get $bit)) (i32.const 1)))

  (func $fly (param $star i32) (param $speed i32) (param $dx i32) (param $dy i32)
    (local $distance i32) (local $size i32)
    (local.set $distance (i32.sub (i32.load offset=8 (local.get $star)) (local.get $speed)))
    (if (i32.lt_s (local.get $distance) (i32.const 8))
      (then
        (call $place (local.get $star) (i32.const 1023))
        (return)))
    (i32.store offset=8 (local.get $star) (local.get $distance))
    (i32.store (local.get $star) (i32.add (i32.load (local.get $star)) (local.get $dx)))
    (i32.store offset=4 (local.get $star)
      (i32.add (i32.load offset=4 (local.get $star)) (local.get $dy)))
    (local.set $size (i32.div_u (i32.const 300) (i32.add (local.get $distance) (i32.const 60))))
    ;; Near stars are bright: draw colour 2, 3 or 4 of the palette.
    (i32.store16 (i32.const 0x14)
      (select (i32.const 0x44)
              (select (i32.const 0x33) (i32.const 0x22)
                      (i32.lt_u (local.get $distance) (i32.const 600)))
              (i32.lt_u (local.get $distance) (i32.const 250))))
    (call $rect
      (i32.add (i32.const 80)
               (i32.div_s (i32.shl (i32.load (local.get $star)) (i32.const 4))
                          (local.get $distance)))
      (i32.add (i32.const 80)
               (i32.div_s (i32.shl (i32.load offset=4 (local.get $star)) (i32.const 4))
                          (local.get $distance)))
      (i32.add (local.get $size) (i32.const 1))
      (i32.add (local.get $size) (i32.const 1))))

  (func (export "start")
    (local $star i32)
    (i32.store (i32.const 0x04) (i32.const 0x0a0a1e))
    (i32.store (i32.const 0x08) (i32.const 0x3c3c6e))
    (i32.store (i32.const 0x0c) (i32.const 0x9696c8))
    (i32.store (i32.const 0x10) (i32.const 0xfffff0))
    (local.set $star (global.get $stars))
    (loop $next
      (call $place (local.get $star) (i32.add (i32.const 1) (call $draw (i32.const 1023))))
      (local.set $star (i32.add (local.get $star) (i32.const 12)))
      (br_if $next (i32.lt_u (local.get $star) (global.get $end)))))

  (func (export "update")
    (local $star i32) (local $speed i32) (local $dx i32) (local $dy i32)
    (local.set $speed (i32.add (i32.const 6) (i32.mul (call $held (i32.const 0)) (i32.const 12))))
    (local.set $dx
      (i32.mul (i32.sub (call $held (i32.const 4)) (call $held (i32.const 5))) (i32.const 40)))
    (local.set $dy
      (i32.mul (i32.sub (call $held (i32.const 6)) (call $held (i32.const 7))) (i32.const 40)))
    (local.set $star (global.get $stars))
    (loop $next
      (call $fly (local.get $star) (local.get $speed) (local.get $dx) (local.get $dy))
      (local.set $star (i32.add (local.get $star) (i32.const 12)))
      (br_if $next (i32.lt_u (local.get $star) (global.get $end))))
    (i32.store16 (i32.const 0x14) (i32.const 0x40))
    (call $oval (i32.const 70) (i32.const 70) (i32.const 20) (i32.const 20))
    (i32.store16 (i32.const 0x14) (i32.const 0x03))
    (call $text (i32.const 0x19a0) (i32.const 60) (i32.const 148))))
