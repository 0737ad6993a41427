"""The Python module against the shared library: python3 txvm_test.py, with TXVM_LIBRARY and PYTHONPATH set."""
import threading
import unittest

import txvm

TEXT = """
.memory 1 4
.global 5
.import host "env" "host" params=2 results=1
.import grow "txvm" "memory.grow" params=1 results=1
.func sum params=1 results=1
  LOCAL.SET 0
  PUSH 0
  loop params=1 results=1
    LOCAL.GET 0
    ADD
    LOCAL.GET 0
    PUSH 1
    SUB
    LOCAL.TEE 0
    br_if 0
  end
.end
.func ask params=2 results=1
  CALL host
.end
.func more params=1 results=1
  CALL grow
.end
.func both params=1 results=2
  DUP
  GLOBAL.GET 0
  ADD
.end
.func divide params=2 results=1
  DIV_S
.end
.func outer params=2 results=1
  CALL divide
.end
.func forever
  loop
    br 0
  end
.end
.export "sum" sum
.export "ask" ask
.export "more" more
.export "both" both
.export "outer" outer
.export "forever" forever
"""


TYPED = """
.import host "env" "host" params=i64,f32 results=f64
.func swap params=i64,f64,f32 results=f32,i64,f64
  LOCAL.SET 4
  LOCAL.SET 3
  LOCAL.SET 2
  LOCAL.SET 1
  LOCAL.SET 0
  LOCAL.GET 4
  LOCAL.GET 0
  LOCAL.GET 1
  LOCAL.GET 2
  LOCAL.GET 3
.end
.func ask params=i64,f32 results=f64
  CALL host
.end
.export "swap" swap
.export "ask" ask
"""


class TxvmTest(unittest.TestCase):
    engine_name = "attention"

    def setUp(self):
        self.engine = txvm.Engine(self.engine_name)
        self.program = self.engine.load(TEXT, "test.txa")
        self.linker = txvm.Linker(self.engine)
        self.linker.define("env", "host", "ii:i", lambda a, b: self.host(a, b))
        self.host = lambda a, b: a - b
        self.instance = self.program.instance(self.linker)

    def test_calls_in_both_directions(self):
        self.assertEqual(self.instance.call("sum", 100), 5050)
        self.assertEqual(self.instance.call("ask", 3, 10), -7)
        self.assertEqual(self.instance.call("both", -7), (-7, -2))
        self.assertEqual([f.name for f in self.program.exports], ["sum", "ask", "more", "both", "outer", "forever"])
        self.assertEqual((self.program.imports[0].module, self.program.imports[0].params), ("env", 2))

    def typed(self, host=lambda wide, number: wide / number):
        linker = txvm.Linker(self.engine)
        linker.define("env", "host", "lf:d", host)
        return self.engine.load(TYPED).instance(linker)

    def test_numbers_have_the_types_of_the_signature(self):
        instance = self.typed()
        self.assertEqual([f.signature for f in instance.program.exports], ["ldf:fld", "lf:d"])
        self.assertEqual(instance.program.imports[0].signature, "lf:d")
        for wide in (0, -(2**63), 2**63 - 1, 2**53 + 1):
            for number in (0.1, -0.0, 5e-324, 1e308, float("-inf")):
                result = instance.call("swap", wide, number, 0.5)
                self.assertEqual(result, (0.5, wide, number))
                self.assertEqual(str(result[2]), str(number))
        self.assertEqual(instance.call("swap", 2**64 - 1, 7, 1), (1.0, -1, 7.0))
        self.assertEqual(instance.call("swap", 0, 0.1, 0.1), (0.10000000149011612, 0, 0.1))
        self.assertNotEqual(*[instance.call("swap", 0, float("nan"), 0)[2]] * 2)

    def test_vectors_are_16_bytes_in_one_notation(self):
        linker = txvm.Linker(self.engine)
        linker.define("env", "host", "v:v", lambda vector: txvm.Vector(vector.bytes[::-1]))
        text = """
.import host "env" "host" params=v128 results=v128
.func turn params=i32,v128 results=v128,i32
  LOCAL.SET 4
  LOCAL.SET 3
  LOCAL.SET 2
  LOCAL.SET 1
  LOCAL.SET 0
  LOCAL.GET 1
  LOCAL.GET 2
  LOCAL.GET 3
  LOCAL.GET 4
  CALL host
  LOCAL.GET 0
.end
.export "turn" turn
"""
        instance = self.engine.load(text).instance(linker)
        self.assertEqual(instance.program.find("turn").signature, "iv:vi")
        vector, number = instance.call("turn", 7, "v128:i8x16:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0xff")
        self.assertEqual(number, 7)
        self.assertEqual(vector.lanes("i8x16"), (-1, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1))
        self.assertEqual(str(txvm.Vector.parse("f32x4:1,-0.0,0.5,inf")),
                         "v128:i32x4:1065353216,-2147483648,1056964608,2139095040")
        self.assertEqual(txvm.Vector.parse(str(vector)), vector)
        self.assertEqual(eval(repr(vector), {"Vector": txvm.Vector}), vector)
        for wrong in ("v128:i32x4:1,2,3", "i32x5:1,2,3,4", "1,2,3,4"):
            with self.assertRaisesRegex(ValueError, "is no v128"):
                instance.call("turn", 0, wrong)
        with self.assertRaisesRegex(OverflowError, "more than 16 bits"):
            txvm.Vector.parse("i16x8:65536,0,0,0,0,0,0,0")

    def test_host_functions_get_and_give_typed_numbers(self):
        self.assertEqual(self.typed().call("ask", -(2**63), 2.0), -(2.0**62))
        self.assertEqual(self.typed(lambda wide, number: 3).call("ask", 0, 0), 3.0)
        self.assertIn("TypeError", self.typed(lambda wide, number: "3.5x").run("ask", 0, 0).message)
        with self.assertRaisesRegex(txvm.Error, "but the host function is"):
            linker = txvm.Linker(self.engine)
            linker.define("env", "host", "df:d", lambda a, b: a)
            self.engine.load(TYPED).instance(linker)

    def test_numbers_that_do_not_fit_are_refused(self):
        instance = self.typed()
        for wrong in ((2**64, 0, 0), (-(2**63) - 1, 0, 0), (0, 0, 1e39), (0, 10**400, 0)):
            with self.assertRaises(OverflowError, msg=wrong):
                instance.call("swap", *wrong)
        for wrong in ((1.5, 0, 0), ("1", 0, 0), (0, None, 0), (0, "1", 0)):
            with self.assertRaises(TypeError, msg=wrong):
                instance.call("swap", *wrong)
        with self.assertRaisesRegex(txvm.Error, r"takes 3 arguments, but 4 were given: swap\(i64, f64, f32\)"):
            instance.call("swap", 1, 2, 3, 4)

    def test_typed_runs_are_stepped_and_restored(self):
        instance = self.typed()
        instance.begin("swap", -5, 0.25, 3)
        instance.step(4)
        other = self.typed()
        other.restore(instance.save())
        self.assertEqual(instance.resume().results, (3.0, -5, 0.25))
        self.assertEqual(other.resume(results=3).results, (3.0, -5, 0.25))

    def test_errors_have_a_code_and_a_place(self):
        with self.assertRaises(txvm.Error) as caught:
            self.engine.load(".func main\n  SWPA\n.end\n", "rules.txa")
        self.assertEqual((caught.exception.code, caught.exception.line), ("syntax", 2))
        self.assertTrue(caught.exception.report.startswith("rules.txa:2:3: error: "))
        for wrong in (lambda: self.instance.call("sub", 1), lambda: self.instance.call("sum"),
                      lambda: self.instance.resume(), lambda: self.program.line(9999)):
            with self.assertRaises(txvm.Error) as caught:
                wrong()
            self.assertEqual(caught.exception.code, "usage")
        with self.assertRaisesRegex(txvm.Error, "unknown import 'env.host'"):
            self.program.instance()
        with self.assertRaises(txvm.Error) as caught:
            self.engine.load("(module\n  (func i32.ad))", "module.wat")
        self.assertEqual((caught.exception.code, caught.exception.line), ("syntax", 2))
        self.assertIn("(did you mean i32.add?)", caught.exception.report)
        with self.assertRaisesRegex(txvm.Error, "signature 'i'"):
            self.linker.define("env", "host", "i", lambda: None)

    def test_text_modules_load(self):
        text = '(module (func (export "a") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1))))'
        program = self.engine.load(text, "add.wat")
        self.assertEqual(program.instance().call("a", 40, 2), 42)
        for before in ("", "\n ;; (;\n", "(; (; ;; ;) ;) "):  # without a name it is found out
            self.assertEqual(self.engine.load(before + text).instance().call("a", 40, 2), 42)
        with self.assertRaises(txvm.Error):
            self.engine.load(";; " + text)

    def test_a_float_for_an_integer_is_named(self):
        with self.assertRaisesRegex(TypeError, r"swap's argument 1\.5 is a float, and the parameter is an i64"):
            self.typed().call("swap", 1.5, 0, 0)

    def test_binary_modules_load_without_wabt(self):
        add = bytes.fromhex("0061736d0100000001070160027f7f017f03020100070501016100000a09010700200020016a0b")
        program = self.engine.load(add, "add.wasm")
        self.assertEqual([function.name for function in program.exports], ["a"])
        self.assertEqual(program.instance().call("a", 40, 2), 42)
        with self.assertRaisesRegex(txvm.Error, "type mismatch: i32.add needs i32, the stack is empty"):
            self.engine.load(add.replace(bytes.fromhex("20002001"), bytes.fromhex("01010101")), "bad.wasm")

    def test_texts_need_not_be_utf_8(self):
        for wrong in (lambda: self.engine.load(b"\xff\xfe\n"), lambda: self.engine.load_file(b"/no/such/\xff.txa"),
                      lambda: self.engine.load("  @\n", "caf\udce9.txa")):
            with self.assertRaisesRegex(txvm.Error, ".") as caught:
                wrong()
            caught.exception.report.encode()  # can be printed
        self.assertIn("caf?.txa:1:3: error: ", caught.exception.report)
        text = b".func divide params=2 results=1\n  DIV_S\n.end\n.export \"a\xff\" divide\n"
        program = self.engine.load(text, "\udcfe.txa")
        self.assertEqual([function.name for function in program.exports], ["a\udcff"])
        self.assertEqual(program.instance().call("a\udcff", 6, 3), 2)
        with self.assertRaisesRegex(txvm.Error, r"there is 'a\\ff'"):
            program.find("b")
        with self.assertRaisesRegex(txvm.Stopped, r"in 'divide' at \\xfe.txa:2 ") as caught:
            program.instance().call("a\udcff", 1, 0)
        self.assertEqual(caught.exception.backtrace[0].source, "\udcfe.txa")
        self.assertEqual(self.engine.load(text.decode(errors="surrogateescape")).find("a\udcff").index, 0)

    def test_a_trap_has_a_backtrace(self):
        with self.assertRaisesRegex(txvm.Stopped, "integer divide by zero in 'divide' at test.txa:") as caught:
            self.instance.call("outer", 1, 0)
        self.assertEqual([len(self.instance.backtrace(most)) for most in (0, 2, 2**40)], [0, 2, 3])
        self.assertEqual([frame.function for frame in caught.exception.backtrace][:2], ["divide", "outer"])
        self.assertEqual(caught.exception.outcome.trap, 1)

    def test_host_functions_end_runs(self):
        def end(error):
            def function(a, b):
                raise error
            self.host = function
            return self.instance.run("ask", 1, 2)
        self.assertIn("out of paper", end(txvm.Trap("out of paper")).message)
        self.assertEqual(end(txvm.Exit(7)).exit_code, 7)
        failed = end(KeyError("ink"))
        self.assertEqual(failed.stop, "host_failed")
        self.assertIn("KeyError: 'ink'", failed.message)
        self.host = lambda a, b: None
        self.assertIn("returned 0 values instead of 1", self.instance.run("ask", 1, 2).message)

    def test_host_functions_that_end_runs_badly_end_them_nonetheless(self):
        class Mute(Exception):
            def __str__(self):
                raise RuntimeError("no words")

        def end(error):
            def function(a, b):
                raise error
            self.host = function
            return self.instance.run("ask", 1, 2)
        for error, words in (
                (txvm.Exit("text"), "TypeError: "), (txvm.Exit(None), "TypeError: "), (txvm.Exit(1.5), "ArgumentError: "),
                (txvm.Exit(2**32), "OverflowError: env.host's exit code 4294967296 is no 32-bit integer"),
                (Mute(), "Mute"), (txvm.Trap(Mute()), "RuntimeError: no words"), (ValueError("\ud800"), "ValueError: ?")):
            failed = end(error)
            self.assertEqual(failed.stop, "host_failed")
            self.assertIn(words, failed.message)
        trapped = end(txvm.Trap("\ud800"))
        self.assertEqual((trapped.stop, trapped.trap), ("trapped", 13))
        self.assertEqual(end(txvm.Exit(2**32 - 1)).exit_code, -1)

    def test_a_host_function_that_tries_to_run_its_caller_does_no_harm(self):
        def nested(instance, a, b):
            try:
                instance.run("sum", 1)
            except txvm.Error as error:
                self.refused = error.message
            return 7
        nested.takes_instance = True
        self.linker.define("env", "host", "ii:i", nested)
        self.instance = self.program.instance(self.linker)
        for _ in range(2):
            self.assertEqual(self.instance.call("ask", 1, 2), 7)
        self.assertIn("a host function cannot call it", self.refused)
        self.assertEqual(self.linker.instances, {})

    def test_a_host_function_calls_its_caller_back(self):
        def total(instance, depth, value):
            if depth == 0:
                return value
            return instance.call_back("ask", depth - 1, value + 1) + instance.call_back("sum", 3)
        total.takes_instance = True
        self.linker.define("env", "host", "ii:i", total)
        instance = self.program.instance(self.linker)
        self.assertEqual(instance.call("ask", 4, 10), 14 + 4 * 6)
        instance.fuel = 30
        outcome = instance.run("ask", 4, 10)
        self.assertEqual((outcome.stop, instance.resumable), ("out_of_fuel", False))
        with self.assertRaisesRegex(txvm.Error, "no host function of the instance is running"):
            instance.call_back("sum", 1)

    def test_traps_of_calls_back_are_handled_or_passed_on(self):
        def divide(instance, handles, divisor):
            if not handles:
                return instance.call_back("outer", 6, divisor)
            try:
                return instance.call_back("outer", 6, divisor)
            except txvm.CallerStopped as stopped:
                self.seen = stopped.outcome.stop, stopped.outcome.trap
                return -1
        divide.takes_instance = True
        self.linker.define("env", "host", "ii:i", divide)
        instance = self.program.instance(self.linker)
        self.assertEqual(instance.call("ask", 1, 0), -1)
        self.assertEqual(self.seen, ("trapped", 1))
        outcome = instance.run("ask", 0, 0)
        self.assertEqual((outcome.stop, outcome.trap), ("trapped", 1))
        self.assertIn("passed on by env.host in 'divide'", outcome.message)
        self.assertEqual(instance.call("ask", 0, 3), 2)

    def test_exceptions_go_in_and_out(self):
        program = txvm.Engine().load("""(module
          (import "env" "host" (func $host (param i32) (result i32)))
          (tag $e (export "e") (param i32 f64))
          (func (export "catch") (param i32) (result i32 f64)
            (block $h (result i32 f64)
              (try_table (catch $e $h) (drop (call $host (local.get 0)))) (i32.const 0) (f64.const 0)))
          (func (export "throw") (param i32) (throw $e (local.get 0) (f64.const 0.5))))""", "e.wat")
        linker = txvm.Linker(program.engine)

        def host(instance, value):
            if value == 0:
                raise txvm.Thrown("e", 7, 2.5)
            try:
                instance.call_back("throw", value)
            except txvm.CallerStopped:
                self.seen = instance.exception.tag, instance.exception.values
                if value > 10:
                    raise
            return 1
        host.takes_instance = True
        linker.define("env", "host", "i:i", host)
        instance = program.instance(linker)
        self.assertEqual(instance.call("catch", 0), (7, 2.5))
        self.assertEqual(instance.call("catch", 5), (0, 0.0))
        self.assertEqual(self.seen, ("e", (5, 0.5)))
        self.assertEqual(instance.call("catch", 11), (11, 0.5))
        self.assertIsNone(instance.exception)
        outcome = instance.run("throw", 3)
        self.assertEqual((outcome.stop, outcome.trap), ("trapped", 16))
        self.assertIn("uncaught exception: e(3, 0.5)", outcome.message)
        self.assertEqual(instance.exception.values, (3, 0.5))

    def test_recursion_through_the_host_ends(self):
        def again(instance, a, b):
            return instance.call_back("ask", a, b)
        again.takes_instance = True
        self.linker.define("env", "host", "ii:i", again)
        instance = self.program.instance(self.linker)
        self.assertIn(instance.run("ask", 1, 2).stop, ("trapped", "host_failed"))
        self.assertEqual(self.linker.instances, {})

    def test_host_functions_see_their_caller(self):
        def peek(instance, address, count):
            self.seen = (instance is self.instance, instance.read(address, count), instance.backtrace()[0].function)
            return 0
        peek.takes_instance = True
        self.linker.define("env", "host", "ii:i", peek)
        self.instance = self.program.instance(self.linker)
        self.instance.write(40, b"hello")
        self.instance.call("ask", 40, 5)
        self.assertEqual(self.seen, (True, b"hello", "ask"))

    def test_numbers_that_do_not_fit_are_refused(self):
        self.assertEqual(self.instance.call("ask", 2**32 - 1, -(2**31)), 2**31 - 1)
        for value in (2**32, -(2**31) - 1, 2**40):
            with self.assertRaises(OverflowError):
                self.instance.call("sum", value)
        self.host = lambda a, b: 2**33
        self.assertIn("OverflowError: env.host's result 8589934592 is no 32-bit integer", self.instance.run("ask", 1, 2).message)
        def refuel(fuel):
            self.instance.fuel = fuel
        instance = self.instance
        for wrong in (
                lambda: refuel(-1), lambda: refuel(2**64), lambda: instance.step(2**64), lambda: instance.resume(2**32),
                lambda: instance.interrupt(2**64 + 1), lambda: instance.backtrace(-1), lambda: instance.read(-1, 1),
                lambda: instance.read(0, -1), lambda: instance.read(2**64, 1), lambda: instance.write(2**64, b"a"),
                lambda: instance.grow(2**32), lambda: instance.grow(-1), lambda: instance.get_global(2**32),
                lambda: instance.set_global(2**32, 1), lambda: instance.set_global(0, 2**40 + 5),
                lambda: instance.breakpoint(2**32 + 1), lambda: self.program.line(2**32 + 1),
                lambda: self.program.instance(self.linker, max_pages=2**32 + 2)):
            with self.assertRaises(OverflowError):
                wrong()
        self.assertEqual((instance.get_global(0), instance.memory_size), (5, 65536))
        instance.set_global(0, 2**32 - 1)
        self.assertEqual(instance.get_global(0), -1)

    def test_fuel_runs_out_and_runs_resume(self):
        whole = self.instance.run("sum", 50)
        self.assertEqual(self.instance.fuel, txvm.UNLIMITED_FUEL)
        self.instance.fuel = 30
        outcome = self.instance.run("sum", 50)
        self.assertEqual((outcome.stop, outcome.steps, self.instance.fuel), ("out_of_fuel", 30, 0))
        while not outcome.halted:
            self.instance.fuel = 17
            outcome = self.instance.resume()
        self.assertEqual((outcome.results, outcome.steps), ((1275,), whole.steps))

    def test_another_thread_interrupts(self):
        run = self.instance.run_number + 1
        timer = threading.Timer(0.05, lambda: self.instance.interrupt(run))
        timer.start()
        outcome = self.instance.run("forever")
        self.assertEqual((outcome.stop, outcome.interrupt), ("interrupted", "timeout"))
        timer.join()
        self.instance.interrupt()
        self.assertTrue(self.instance.run("sum", 5).halted)

    def test_memory_and_globals_have_bounds(self):
        self.instance.write(65530, b"abcdef")
        self.assertEqual(self.instance.read(65532, 4), b"cdef")
        with self.assertRaisesRegex(txvm.Error, "memory read of 4 bytes at 65533 is outside"):
            self.instance.read(65533, 4)
        with self.assertRaisesRegex(txvm.Error, f"memory read of {2**50} bytes at 0 is outside"):
            self.instance.read(0, 2**50)  # nothing of that size is allocated
        self.assertEqual(self.instance.read(65536, 0), b"")
        self.instance.write(0, memoryview(b"12345678").cast("I"))
        self.assertEqual(self.instance.read(0, 8), b"12345678")
        self.assertEqual(self.instance.grow(1), 1)
        self.assertEqual(self.instance.memory_size, 2 * 65536)
        self.instance.set_global(0, -5)
        self.assertEqual((self.instance.get_global(0), self.instance.call("both", 5)), (-5, (5, 0)))
        capped = self.program.instance(self.linker, max_pages=3, grow=lambda old, new: new <= 2)
        self.assertEqual([capped.call("more", 1), capped.call("more", 1)], [1, -1])

    def test_steps_and_breakpoints(self):
        self.instance.begin("sum", 3)
        outcome = self.instance.step(4)
        self.assertEqual((outcome.stop, outcome.interrupt, outcome.steps), ("interrupted", "step", 4))
        self.assertEqual(self.instance.resume().results, (6,))
        self.instance.breakpoint(self.program.line(10))
        outcome = self.instance.run("sum", 3)
        self.assertEqual((outcome.interrupt, outcome.ip, self.instance.ip),
                         ("breakpoint", self.program.line(10), self.program.line(10)))
        self.assertTrue(self.instance.resumable)

    def test_watching(self):
        steps, records = [], []
        self.instance.watch(step=lambda ip, done: steps.append(done) or True, trace=records.extend, digest=True)
        outcome = self.instance.run("sum", 5)
        self.assertEqual(steps, list(range(outcome.steps)))
        self.assertEqual([record.step for record in records], list(range(1, outcome.steps + 1)))
        self.assertNotEqual(outcome.digest, 0)
        self.instance.watch()
        self.assertEqual(self.instance.run("sum", 5).digest, 0)

    def test_snapshots_go_on_on_another_engine(self):
        self.instance.fuel = 100
        self.assertEqual(self.instance.run("sum", 40).stop, "out_of_fuel")
        snapshot = self.instance.save()
        clone = self.instance.clone()
        other = txvm.Engine("native" if self.engine_name == "attention" else "attention")
        linker = txvm.Linker(other)
        linker.define("env", "host", "ii:i", lambda a, b: 0)
        resumed = other.load(self.program.save(), "test.txp").instance(linker)
        resumed.restore(snapshot)
        self.assertEqual(resumed.resume(results=1).results, (820,))
        for instance in (self.instance, clone):
            instance.fuel = txvm.UNLIMITED_FUEL
            self.assertEqual(instance.resume().results, (820,))
        with self.assertRaises(txvm.Error):
            resumed.restore(snapshot[:-1])


class NativeTest(TxvmTest):
    engine_name = "native"


class HeadTest(unittest.TestCase):
    def test_heads_show_the_key_that_won(self):
        instance = txvm.Engine().load(TEXT.replace("CALL host", "ADD").replace(
            '.import host "env" "host" params=2 results=1\n', "")).instance()
        heads = []
        instance.watch(head=heads.append, stats=True)
        outcome = instance.run("sum", 4)
        self.assertEqual(sum(head["name"] == "Fetch" for head in heads), outcome.steps)
        self.assertTrue(all(head["winner"] == head["query"] and head["margin"] == 1 for head in heads))
        self.assertEqual(instance.stats["code"]["heads"], outcome.steps)


if __name__ == "__main__":
    unittest.main()
