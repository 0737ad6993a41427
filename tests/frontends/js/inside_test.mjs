// txvm inside txvm: the WASI command txvm.wasm, run by the native program, runs a program itself.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { build, need, root, runNative } from "./support.mjs";

need("txvm.wasm");
const machine = join(build, "txvm.wasm");

/** Runs txvm.wasm on `engine` of this machine, with the examples as its folder. */
const runInside = (engine, ...args) =>
  runNative("run", machine, "--engine", engine, "--dir", `${join(root, "examples")}:/programs`, "--", ...args);

for (const engine of ["native", "folded"]) {
  test(`gcd inside ${engine}`, () => {
    const ran = runInside(engine, "run", "/programs/gcd.txa", "--invoke", "gcd", "1071", "462", "--trace-digest");
    assert.equal(ran.code, 0, ran.err);
    const world = runNative("run", join(root, "examples/gcd.txa"), "--invoke", "gcd", "1071", "462", "--trace-digest");
    assert.equal(ran.out, world.out);
    assert.match(ran.out, /^21\n/);
  });
}

test("every engine inside gives what the world outside gives", () => {
  for (const engine of ["attention", "native", "hull"]) {
    const inner = ["--invoke", "gcd", "1071", "462", "--engine", engine, "--trace-digest"];
    const [ran, world] = [
      runInside("folded", "run", "/programs/gcd.txa", ...inner),
      runNative("run", join(root, "examples/gcd.txa"), ...inner),
    ];
    assert.equal(ran.code, 0, ran.err);
    assert.equal(ran.out, world.out, engine);
  }
});

test("a trap inside is told as outside", () => {
  const ran = runInside("folded", "run", "/programs/trap.wat", "--invoke", "divide", "0");
  assert.equal(ran.code, runNative("run", join(root, "examples/trap.wat"), "--invoke", "divide", "0").code);
});
