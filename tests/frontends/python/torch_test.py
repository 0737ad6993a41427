"""txvm.torch against the native engine: outcome, steps, top and digest of many programs in one batch.

torch_test.py TXVM PROJECT [DEVICE [FUEL]]     prints why it was skipped where PyTorch is not installed
"""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

if importlib.util.find_spec("torch") is None:
    print("skipped: PyTorch is not installed (pip install torch)")
    sys.exit(0)
import torch  # noqa: E402

TXVM, PROJECT = sys.argv[1:3]
DEVICE = sys.argv[3] if len(sys.argv) > 3 else "cpu"
FUEL = int(sys.argv[4]) if len(sys.argv) > 4 else 150  # steps; longer programs are cut there

# The file alone: the package needs the library, which this module does not.
spec = importlib.util.spec_from_file_location("txvm_torch", os.path.join(PROJECT, "frontends/python/txvm/torch.py"))
vm = importlib.util.module_from_spec(spec)
sys.modules["txvm_torch"] = vm
spec.loader.exec_module(vm)
torch.set_num_threads(min(2, os.cpu_count() or 1))


def golden_calls():
    """(file, arguments) of the golden programs: the RUN lines of those whose run the model can make alone."""
    folder = os.path.join(PROJECT, "tests/golden/programs")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            runs = [line.split("RUN:")[1].split() for line in file if "RUN:" in line]
        for words in runs[:1]:
            yield os.path.join(folder, name), words


def export(folder, program, words):
    """Exports a call; False where the program has to be called in another way."""
    call = ["--invoke", words[0], *words[1:]] if words else []
    done = subprocess.run([TXVM, "weights", "export", folder, "--program", program, *call], capture_output=True, text=True)
    return done.returncode == 0


def native(program, words, fuel):
    call = ["--invoke", words[0], "--", *words[1:]] if words else []
    done = subprocess.run([TXVM, "run", program, "--engine", "native", "--json", "--trace-digest", "--fuel", str(fuel), *call],
                          capture_output=True, text=True)
    return json.loads(done.stdout)


class Exact(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.programs, cls.expected, cls.names = [], [], []
        for program, words in golden_calls():
            if not export(cls.folder, program, words):
                continue
            expected = native(program, words, FUEL)
            cls.programs.append(vm.read_program(cls.folder))
            cls.expected.append(expected)
            cls.names.append(f"{os.path.basename(program)} {' '.join(words)}")
        cls.model = vm.Transformer.load(cls.folder, DEVICE)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_every_golden_program_has_the_digest_of_native(self):
        runs = self.model.run(self.programs, fuel=FUEL)
        compared = 0
        for name, run, expected in zip(self.names, runs, self.expected):
            with self.subTest(name):
                if run.outcome == "host":
                    continue  # native goes on after the call
                compared += 1
                self.assertEqual(run.outcome, expected["outcome"])
                self.assertEqual(run.steps, expected["steps"])
                self.assertEqual(f"{run.digest:016x}", expected["trace_digest"])
        self.assertGreaterEqual(compared, 15)
        print(f"{compared} of {len(runs)} calls compared, {sum(run.steps for run in runs)} steps on {DEVICE}")

    def test_a_program_runs_alike_in_any_batch(self):
        short = min(range(len(self.programs)), key=lambda i: self.expected[i]["steps"])
        alone = self.model.run([self.programs[short]], fuel=FUEL)[0]
        among = self.model.run([self.programs[short]] * 3 + self.programs[:2], fuel=40)
        self.assertEqual(among[:3], [alone] * 3)

    def test_layers_have_hooks(self):
        seen = []
        layer, head = self.model.find_head("Fetch")
        handle = self.model.layers[layer].attention.query.register_forward_hook(lambda *args: seen.append(args[2].shape))
        self.model.run(self.programs[:2], fuel=3)
        handle.remove()
        self.assertEqual(seen[0][0], 2)
        self.assertEqual((layer, head), (0, 0))
        with self.assertRaises(KeyError):
            self.model.find_head("Nobody")

    def test_half_precision_is_refused(self):
        model = vm.Transformer.load(self.folder).half()
        with self.assertRaisesRegex(vm.ModelError, "only float32 is exact"):
            model.run(self.programs[:1])

    def test_tf32_is_refused(self):
        if DEVICE == "cpu":
            self.skipTest("TF32 is of GPUs")
        torch.set_float32_matmul_precision("high")
        try:
            with self.assertRaisesRegex(vm.ModelError, "TF32 is on"):
                self.model.run(self.programs[:1])
        finally:
            torch.set_float32_matmul_precision("highest")

    def test_what_does_not_fit_is_named(self):
        broken = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, broken)
        with self.assertRaisesRegex(vm.ModelError, "config.json: no configuration of txvm"):
            vm.Transformer.load(broken)
        with open(os.path.join(self.folder, "config.json"), encoding="utf-8") as file:
            config = json.load(file)
        config["layers"][3]["units"] += 1
        with open(os.path.join(broken, "config.json"), "w", encoding="utf-8") as file:
            json.dump(config, file)
        with self.assertRaisesRegex(vm.ModelError, "model.safetensors: no weights of txvm"):
            vm.Transformer.load(broken)
        shutil.copy(os.path.join(self.folder, "model.safetensors"), broken)
        with self.assertRaisesRegex(vm.ModelError, r"layers.3.mlp.gate_proj.weight' is \(\d+, 688\) where config.json"):
            vm.Transformer.load(broken)
        with self.assertRaisesRegex(vm.ModelError, "no program of txvm"):
            vm.read_program(os.path.join(self.folder, "config.json"))
        with self.assertRaisesRegex(vm.ModelError, "program 0 has a state of 3 fields"):
            self.model.run([vm.Program([1, 2, 3], [])])
        with self.assertRaisesRegex(vm.ModelError, "tokens of another size"):
            self.model.run([vm.Program(self.programs[0].state, [[1, 2]])])
        with self.assertRaisesRegex(vm.ModelError, "a batch needs a program"):
            self.model.run([])


unittest.main(argv=sys.argv[:1], verbosity=1)
