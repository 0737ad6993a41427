"""Several modules as one program: python3 link_test.py, with TXVM_LIBRARY, PYTHONPATH and WAT2WASM set."""
import os
import tempfile
import unittest

import txvm
from wasm_text import assemble

STORE = assemble("""(module
  (memory (export "memory") 1)
  (global $count (export "count") (mut i32) (i32.const 5))
  (func (export "peek") (param i32) (result i32) (i32.load (local.get 0)))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
  (func (export "divide") (param i64 i64) (result i64) (i64.div_s (local.get 0) (local.get 1))))""")
MAIN = assemble("""(module
  (import "store" "memory" (memory 1))
  (import "store" "count" (global $count (mut i32)))
  (import "store" "divide" (func $divide (param i64 i64) (result i64)))
  (func (export "poke") (param i32 i32) (i32.store (local.get 0) (local.get 1)))
  (func (export "set_count") (param i32) (global.set $count (local.get 0)))
  (func (export "ratio") (param i64 i64) (result i64) (call $divide (local.get 0) (local.get 1))))""")


class LinkTest(unittest.TestCase):
    def test_modules_share_memory_and_globals(self):
        for name in ("attention", "native"):
            instance = txvm.Engine(name).link({"store": STORE}, MAIN).instance()
            instance.call("poke", 64, 1234)
            self.assertEqual(instance.call("store.peek", 64), 1234)
            instance.call("set_count", 41)
            self.assertEqual(instance.call("store.next"), 42)

    def test_a_module_may_be_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "store.wasm")
            with open(path, "wb") as file:
                file.write(STORE)
            program = txvm.Engine("native").link({"store": path}, MAIN)
            self.assertEqual(program.instance().call("ratio", 7 << 40, 7), 1 << 40)

    def test_backtraces_name_functions_of_all(self):
        instance = txvm.Engine("native").link({"store": STORE}, MAIN).instance()
        with self.assertRaises(txvm.Stopped) as caught:
            instance.call("ratio", 1, 0)
        names = [frame.function for frame in caught.exception.backtrace]
        self.assertIn("divide", " ".join(names))
        self.assertIn("ratio", " ".join(names))

    def test_living_instances_are_called(self):
        engine = txvm.Engine("native")
        store = engine.load(STORE, "store.wasm").instance()
        linker = txvm.Linker(engine)
        linker.define_instance("store", store)
        text = """(module (import "store" "next" (func $next (result i32)))
          (import "store" "divide" (func $divide (param i64 i64) (result i64)))
          (func (export "twice") (result i32) (drop (call $next)) (call $next))
          (func (export "ratio") (param i64 i64) (result i64) (call $divide (local.get 0) (local.get 1))))"""
        user = engine.load(assemble(text), "user.wasm").instance(linker)
        self.assertEqual((user.call("twice"), store.call("next"), user.call("twice")), (7, 8, 10))
        self.assertEqual(user.call("ratio", 7 << 40, 7), 1 << 40)
        with self.assertRaisesRegex(txvm.Stopped, "integer divide by zero: in a call of store.divide"):
            user.call("ratio", 1, 0)
        del store
        self.assertEqual(user.call("twice"), 12)

    def test_a_host_function_sees_the_instance_that_another_calls(self):
        engine = txvm.Engine("native")
        inner, outer = txvm.Linker(engine), txvm.Linker(engine)

        def seen(instance):
            return instance.call_back("five")
        seen.takes_instance = True
        inner.define("env", "seen", ":i", seen)
        lib = engine.load(assemble("""(module (import "env" "seen" (func $seen (result i32)))
          (func (export "ask") (result i32) (call $seen)) (func (export "five") (result i32) (i32.const 5)))"""),
                          "lib.wasm").instance(inner)
        outer.define_instance("lib", lib)
        user = engine.load(assemble("""(module (import "lib" "ask" (func $ask (result i32)))
          (func (export "f") (result i32) (call $ask)))"""), "user.wasm").instance(outer)
        self.assertEqual(user.call("f"), 5)

    def test_errors_name_module_field_and_types(self):
        wrong = assemble('(module (import "store" "next" (func (param i32))))')
        with self.assertRaisesRegex(txvm.Error, r'incompatible import type of "store" "next": function \(i32\) -> '
                                                r'\(\) is imported, function \(\) -> \(i32\) exported'):
            txvm.Engine("native").link({"store": STORE}, wrong)
        missing = assemble('(module (import "store" "last" (func)))')
        with self.assertRaisesRegex(txvm.Error, 'unknown import "store" "last": the module exports \'memory\''):
            txvm.Engine("native").link({"store": STORE}, missing)

    def test_memories_and_globals_that_nobody_provides_are_made(self):
        engine = txvm.Engine("native")
        module = assemble("""(module (import "js" "memory" (memory 1)) (import "js" "count" (global $count (mut i32)))
          (func (export "pages") (result i32) (memory.size))
          (func (export "next") (result i32)
            (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count)))""")
        program = engine.link({}, module, imports={"js.memory": "memory:2", "js.count": 5})
        instance = program.instance()
        self.assertEqual((instance.call("pages"), instance.call("next")), (2, 6))
        self.assertEqual(engine.link({}, module, imports={}).instance().call("next"), 1)
        with self.assertRaisesRegex(txvm.Error, "did you mean memory"):
            engine.link({}, module, imports={"js.memory": "memry"})


if __name__ == "__main__":
    unittest.main()
