(module (func (export "main") (result i32) (i32x4.extract_lane 1 (v128.const i32x4 1 2 3 4))))
