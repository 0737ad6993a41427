// txvm.wasm, the WASI command, under Node: every engine gives what the native program gives.
import assert from "node:assert/strict";
import test from "node:test";
import { need, reported, root, runNative, runWasi } from "./support.mjs";

need("txvm.wasm");

const runs = [
  ["examples/gcd.txa", "--invoke", "gcd", "1071", "462"],
  ["examples/fib.wat", "--invoke", "fib", "10"],
  ["examples/fib.wat", "--invoke", "fast", "40"],
  ["examples/trap.wat", "--invoke", "divide", "0"],
  ["examples/sum.txa"],
];

// A step of the transformer is a forward pass, with plain loops here.
const short = runs.filter(([file]) => file.endsWith("gcd.txa") || file.endsWith("trap.wat"));

for (const engine of ["attention", "native", "folded", "hull", "transformer"]) {
  for (const run of engine === "transformer" ? short : runs) {
    test(`${run.join(" ")} on ${engine}`, () => {
      const args = ["run", ...run, "--engine", engine, "--trace-digest", "--json"];
      const [there, here] = [runNative(...args), runWasi("txvm.wasm", ...args)];
      assert.equal(here.code, there.code, here.err);
      assert.deepEqual(reported(here), reported(there));
    });
  }
}

test("folded says what it runs on", () => {
  const ran = runWasi("txvm.wasm", "run", "examples/fib.wat", "--invoke", "fib", "10", "--engine", "folded");
  assert.equal(ran.out, "55\n");
  assert.match(ran.err, /native/);
});

test("out of fuel is told as natively", () => {
  const args = ["run", "examples/fib.wat", "--invoke", "fib", "20", "--fuel", "1k"];
  const [there, here] = [runNative(...args), runWasi("txvm.wasm", ...args)];
  assert.deepEqual(here, there);
});

test("bad input gives one sentence", () => {
  const missing = runWasi("txvm.wasm", "run", "no-such.wat");
  assert.equal(missing.code, 3);
  assert.match(missing.err, /cannot read/);
  const wrong = runWasi("txvm.wasm", "run", "README.md");
  assert.equal(wrong.code, 3);
  assert.equal(runWasi("txvm.wasm", "run", "examples/gcd.txa", "--engine", "steam").code, 2);
  assert.equal(runWasi("txvm.wasm", "dance").code, 2);
});
