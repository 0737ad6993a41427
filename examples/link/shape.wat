;; A library: two functions for whoever imports from "shape".
(module
  (global $made (mut i32) (i32.const 0))
  (func (export "rectangle") (param $width i32) (param $height i32) (result i32)
    (global.set $made (i32.add (global.get $made) (i32.const 1)))
    (i32.mul (local.get $width) (local.get $height)))
  (func (export "made") (result i32) (global.get $made)))
