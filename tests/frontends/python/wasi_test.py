"""WASI from Python: python3 wasi_test.py, with TXVM_LIBRARY, PYTHONPATH and WAT2WASM set."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import txvm
from wasm_text import assemble

# Copies input to output, and exits with the number of bytes.
COPY = assemble("""(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start") (local $total i32)
    (loop $next
      (i32.store (i32.const 0) (i32.const 4096))
      (i32.store (i32.const 4) (i32.const 7))
      (if (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)) (then (call $exit (i32.const 100))))
      (i32.store (i32.const 4) (i32.load (i32.const 8)))
      (if (i32.load (i32.const 8))
        (then
          (local.set $total (i32.add (local.get $total) (i32.load (i32.const 8))))
          (if (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))
            (then (call $exit (i32.const 101))))
          (br $next))))
    (if (local.get $total) (then (call $exit (local.get $total))))))""")

SUITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 4, "shared", "data", "wasi-testsuite")


class WasiTest(unittest.TestCase):
    def setUp(self):
        self.engine = txvm.Engine("native")
        self.linker = txvm.Linker(self.engine)
        self.program = self.engine.load(COPY, "copy.wasm")

    def run_copy(self, **streams):
        self.linker.define_wasi(**streams)
        instance = self.program.instance(self.linker)
        return instance, instance.run_wasi()

    def test_buffers(self):
        instance, code = self.run_copy(stdin=b"some\0bytes", stdout="keep")
        self.assertEqual((code, instance.stdout, instance.stderr), (10, b"some\0bytes", b""))

    def test_nothing_by_default(self):
        instance, code = self.run_copy()
        self.assertEqual((code, instance.stdout), (0, b""))

    def test_functions(self):
        chunks, written = [b"ab", b"cde"], []
        _, code = self.run_copy(stdin=lambda count: chunks.pop(0) if chunks else b"", stdout=written.append)
        self.assertEqual((code, b"".join(written)), (5, b"abcde"))

    def test_what_a_function_raises_is_an_error_of_the_program(self):
        def fail(_):
            raise OSError("no more")
        self.assertEqual(self.run_copy(stdin=fail)[1], 100)
        self.assertEqual(self.run_copy(stdin=b"a", stdout=fail)[1], 101)
        self.assertEqual(self.run_copy(stdin=lambda count: b"x" * (count + 1))[1], 100)

    def test_inherited_streams(self):
        script = ("import sys, txvm\nengine = txvm.Engine('native')\nlinker = txvm.Linker(engine)\n"
                  "linker.define_wasi(stdin='inherit', stdout='inherit')\n"
                  "sys.exit(engine.load_file(sys.argv[1]).instance(linker).run_wasi())\n")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "copy.wasm")
            with open(path, "wb") as file:
                file.write(COPY)
            done = subprocess.run([sys.executable, "-c", script, path], input=b"through", capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (7, b"through"))

    def test_a_limit_of_what_is_written(self):
        instance, code = self.run_copy(stdin=b"0123456789", stdout="keep", max_written=7)
        self.assertEqual((code, instance.stdout), (101, b"0123456"))

    def test_other_ends_are_raised(self):
        self.linker.define_wasi(stdin=b"0123456789" * 100)
        instance = self.program.instance(self.linker)
        instance.fuel = 50
        with self.assertRaises(txvm.Stopped) as caught:
            instance.run_wasi()
        self.assertEqual(caught.exception.outcome.stop, "out_of_fuel")
        instance.fuel = txvm.UNLIMITED_FUEL
        outcome = instance.resume()
        self.assertEqual((outcome.stop, outcome.exit_code), ("exited", 1000))

    def test_what_is_no_option(self):
        for error, options in ((ValueError, {"clock": "wall"}), (ValueError, {"stdout": "file"}),
                               (OverflowError, {"random": -1}), (txvm.Error, {"directories": {"/": "/nonexistent"}})):
            with self.assertRaises(error):
                self.linker.define_wasi(**options)


@unittest.skipUnless(os.path.isdir(SUITE), "the official programs are not here")
class OfficialSuite(unittest.TestCase):
    def test_programs(self):
        engine = txvm.Engine("native")
        names = sorted(glob.glob(os.path.join(SUITE, "**", "*.wasm"), recursive=True))
        self.assertTrue(names)
        for name in names:
            with self.subTest(os.path.relpath(name, SUITE)), tempfile.TemporaryDirectory() as folder:
                self.check(engine, name, folder)

    def check(self, engine, name, folder):
        wanted = {}
        if os.path.exists(name[:-5] + ".json"):
            with open(name[:-5] + ".json") as file:
                wanted = json.load(file)
        directories = {}
        if "root" in wanted:
            root, copy = os.path.join(os.path.dirname(name), wanted["root"]), os.path.join(folder, "root")
            if os.path.isdir(root):
                shutil.copytree(root, copy, symlinks=True)
            else:
                os.mkdir(copy)
            directories["/"] = copy
        linker = txvm.Linker(engine)
        linker.define_wasi([os.path.basename(name), *wanted.get("args", [])], wanted.get("env", {}), directories,
                           stdout="keep", stderr="keep")
        instance = engine.load_file(name).instance(linker)
        self.assertEqual(instance.run_wasi(), wanted.get("exit_code", 0), instance.stderr)
        if "stdout" in wanted:
            self.assertEqual(instance.stdout.decode(), wanted["stdout"])


if __name__ == "__main__":
    unittest.main()
