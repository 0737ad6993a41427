;; txvm run examples/link/area.wat --link shape=examples/link/shape.wat --invoke area 3 4
(module
  (import "shape" "rectangle" (func $rectangle (param i32 i32) (result i32)))
  (func (export "area") (param $width i32) (param $height i32) (result i32)
    (call $rectangle (local.get $width) (local.get $height))))
