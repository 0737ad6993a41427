(module (func (export "main") (result i32) (i32.trunc_f32_s (f32.const 1.5))))
