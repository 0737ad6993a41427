"""The types of the Python module, by mypy: a program that is right, mistakes that have to be found, and the stub beside
the module. Skipped, with the reason, where there is no mypy."""
import os
import subprocess
import sys
import tempfile
import unittest

RIGHT = """
import txvm

engine = txvm.Engine("native")
program = engine.load('.func add params=2 results=1\\\\n  ADD\\\\n.end\\\\n.export "add" add\\\\n')
linker = txvm.Linker(engine)
linker.define("env", "log", "i:", lambda value: print(value))
linker.define_wasi(arguments=["a"], stdout="keep", random="real")
instance = program.instance(linker, max_pages=3, grow=lambda old_pages, new_pages: new_pages < 5)
total: int = instance.call("add", 2, 3)
outcome = instance.run(program.find("add"), 2, 3)
if outcome.stop == "trapped":
    print(outcome.message, [frame.line for frame in instance.backtrace()])
instance.fuel = 10
instance.write(0, memoryview(b"abc"))
heads: int = instance.stats["code"]["heads"]
instance.watch(trace=lambda records: print(records[0].ip))
try:
    engine.load("x")
except txvm.Error as error:
    print(error.code, error.line)
"""

WRONG = [
    ("txvm.Engine().load(5)", "arg-type"),
    ("txvm.Engine().nothing", "attr-defined"),
    ("txvm.Engine().load('').instance().call('f', 'text')", "arg-type"),
    ("x: int = txvm.Engine().name", "assignment"),
    ("txvm.Linker(txvm.Engine()).define_wasi(clock='fast')", "arg-type"),
    ("txvm.Engine().load('').instance().memory_size = 5", "misc"),
]


def mypy(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        with open(path, "w") as file:
            file.write(text)
        run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.path.join(folder, "cache"), path],
                             capture_output=True, text=True)
        return run.stdout + run.stderr


class TypesTest(unittest.TestCase):
    def test_a_program_that_is_right_has_no_errors(self):
        self.assertIn("Success: no issues found", mypy(RIGHT))

    def test_mistakes_are_found(self):
        said = mypy("import txvm\n" + "\n".join(text for text, _ in WRONG) + "\n")
        for line, (text, kind) in enumerate(WRONG, 2):
            self.assertRegex(said, rf"program.py:{line}: error: .*\[{kind}\]", text)

    def test_the_stub_has_what_the_module_has(self):
        with tempfile.TemporaryDirectory() as folder:
            allowed = os.path.join(folder, "allowed")
            with open(allowed, "w") as file:
                # What the module imports for itself, and names of types alone.
                file.write("txvm\\.(Number|Bytes|Answer|Stop|_Grow|_SpaceStats|wasi|library|lib|byref|c_.*|.*_name|decode_.*)"
                           "\ntxvm\\.library\\..*\ntxvm\\.(torch|wasi).*\n")
            settings = os.path.join(folder, "mypy.ini")
            with open(settings, "w") as file:
                file.write("[mypy]\nignore_missing_imports = True\n")  # PyTorch
            run = subprocess.run([sys.executable, "-m", "mypy.stubtest", "txvm", "--allowlist", allowed,
                                  "--ignore-unused-allowlist", "--ignore-missing-stub", "--mypy-config-file", settings],
                                 capture_output=True, text=True, cwd=folder)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_every_public_name_is_in_the_stub(self):
        import ast
        import txvm
        with open(os.path.join(os.path.dirname(txvm.__file__), "__init__.pyi")) as file:
            tree = ast.parse(file.read())
        classes = {node.name: {getattr(item, "name", None) or item.target.id for item in node.body
                               if hasattr(item, "name") or hasattr(item, "target")}
                   for node in tree.body if isinstance(node, ast.ClassDef)}
        for name, value in vars(txvm).items():
            if not isinstance(value, type) or value.__module__ != "txvm" or name.startswith("_"):
                continue
            self.assertIn(name, classes)
            for member in vars(value):
                if not member.startswith("_"):
                    self.assertIn(member, classes[name], f"{name}.{member} has no type in __init__.pyi")


if __name__ == "__main__":
    if subprocess.run([sys.executable, "-c", "import mypy.stubtest"], capture_output=True).returncode != 0:
        print("skipped: there is no mypy (Debian: mypy)")
        sys.exit(0)
    unittest.main()
