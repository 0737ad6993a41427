// The package txvm for JavaScript, as it is used.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { build, need, root, runNative } from "./support.mjs";

need("js/txvm.wasm", "js/txvm.mjs");
const { load, loadSync, Txvm, TxvmError, TxvmExit, TxvmStop } = await import(pathToFileURL(join(build, "js/txvm.mjs")));
const txvm = await load({ wasm: readFileSync(join(build, "js/txvm.wasm")) });
const fib = readFileSync(join(root, "examples/fib.wat"), "utf8");

const kTypes = `(module
  (func (export "i32") (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
  (func (export "i64") (param i64) (result i64) (i64.add (local.get 0) (i64.const 1)))
  (func (export "f32") (param f32) (result f32) (f32.add (local.get 0) (f32.const 0.5)))
  (func (export "f64") (param f64) (result f64) (f64.mul (local.get 0) (f64.const 3)))
  (func (export "v128") (param v128) (result v128) (i8x16.add (local.get 0) (local.get 0)))
  (func (export "two") (result i32 i64) (i32.const 7) (i64.const -8))
  (func (export "none")))`;

test("every engine runs a program of text", () => {
  for (const engine of Txvm.engines) {
    const instance = txvm.program(fib, { engine, name: "fib.wat" }).instantiate();
    assert.equal(instance.exports.fib(7), 13, engine);
    instance.delete();
  }
});

test("formats: .txa, .wat, .txp", () => {
  const gcd = readFileSync(join(root, "examples/gcd.txa"), "utf8");
  const program = txvm.program(gcd, { name: "gcd.txa" });
  assert.equal(program.instantiate().call("gcd", 1071, 462), 21);
  assert.equal(txvm.program(program.save()).instantiate().call("gcd", 48, 18), 6);
});

test("values of every type", () => {
  const program = txvm.program(kTypes);
  const { exports } = program.instantiate();
  assert.equal(exports.i32(0x7fffffff), -0x80000000);
  assert.equal(exports.i64(0x7fffffffffffffffn), -0x8000000000000000n);
  assert.equal(exports.f32(0.25), 0.75);
  assert.equal(exports.f64(0.1), 0.1 * 3);
  assert.deepEqual(exports.v128(Uint8Array.from({ length: 16 }, (_, i) => i)), Uint8Array.from({ length: 16 }, (_, i) => 2 * i));
  assert.deepEqual(exports.two(), [7, -8n]);
  assert.equal(exports.none(), undefined);
  assert.deepEqual(program.exports[5], { name: "two", signature: ":il" });
});

test("errors have place, code and caret", () => {
  assert.throws(() => txvm.program("(module (func (export \"f\") (i32.ad)))", { name: "wrong.wat" }), (error) => {
    assert.ok(error instanceof TxvmError);
    assert.equal(error.code, "syntax");
    assert.equal(error.line, 1);
    assert.match(error.report, /wrong\.wat:1:\d+: error: .*\n/);
    return true;
  });
  const program = txvm.program(fib);
  assert.throws(() => program.instantiate().call("nothing"), /nothing/);
  assert.throws(() => program.instantiate().call("fib"), /takes 1 arguments, given 0/);
  assert.throws(() => txvm.program(new Uint8Array(1000)), TxvmError);
  assert.throws(() => txvm.program(fib, { engine: "steam" }), /steam/);
});

test("host functions: values, traps, exits, the caller", () => {
  const program = txvm.program(`(module
    (import "env" "scale" (func $scale (param i64 f64) (result f64)))
    (import "env" "pair" (func $pair (result i32 i32)))
    (import "env" "stop" (func $stop (param i32)))
    (memory (export "memory") 1)
    (func (export "scale") (result f64) (call $scale (i64.const -3) (f64.const 1.5)))
    (func (export "pair") (result i32) (call $pair) (i32.sub))
    (func (export "stop") (param i32) (call $stop (local.get 0))))`);
  assert.deepEqual(program.imports[0], { module: "env", name: "scale", signature: "ld:d" });
  const imports = {
    env: {
      scale: (a, b) => Number(a) * b,
      pair() {
        this.memory[8] = 99;
        return [50, 8];
      },
      stop(code) {
        if (code === 0) throw new Error("no more");
        throw new TxvmExit(code);
      },
    },
  };
  const instance = program.instantiate({ imports });
  assert.equal(instance.call("scale"), -4.5);
  assert.equal(instance.call("pair"), 42);
  assert.equal(instance.memory[8], 99);
  const trapped = instance.run("stop", [0]);
  assert.equal(trapped.stop, "trapped");
  assert.equal(trapped.trap, "host");
  assert.match(trapped.message, /no more/);
  assert.equal(trapped.cause.message, "no more");
  const exited = instance.run("stop", [3]);
  assert.deepEqual([exited.stop, exited.exitCode], ["exited", 3]);
  assert.throws(() => instance.call("stop", 0), TxvmStop);
  assert.throws(() => program.instantiate(), /unknown import 'env.scale'/);
});

test("trace and digest are those of the native program", () => {
  const instance = txvm.program(fib, { name: "fib.wat" }).instantiate();
  const records = [], trace = instance.trace("fib", [8]);
  let next;
  while (!(next = trace.next()).done) records.push(next.value);
  assert.deepEqual(next.value.results, [21]);
  assert.equal(BigInt(records.length), next.value.steps);
  records.forEach(({ step }, i) => assert.equal(step, BigInt(i + 1)));
  const outcome = instance.run("fib", [8], { digest: true });
  const native = JSON.parse(
    runNative("run", join(root, "examples/fib.wat"), "--invoke", "fib", "8", "--json", "--trace-digest").out,
  );
  assert.equal(outcome.steps, BigInt(native.steps));
  assert.equal(outcome.digest, BigInt(`0x${native.trace_digest.replace(/^0x/, "")}`));
});

test("heads are those that the attention engine reads", () => {
  const instance = txvm.program(fib).instantiate();
  const heads = [...instance.heads("fast", [3])];
  assert.equal(heads[0].name, "Fetch");
  assert.equal(heads[0].space, "code");
  assert.ok(heads.every(({ query, winner, keys }) => keys > 0 && (winner === query || winner === -1n)));
  assert.throws(() => [...txvm.program(fib, { engine: "native" }).instantiate().heads("fast", [3])], TxvmError);
});

test("fuel, steps, breakpoints, interrupts, resume", async () => {
  const instance = txvm.program(fib, { engine: "native" }).instantiate();
  const whole = instance.run("fib", [12]);
  instance.fuel = 100;
  assert.equal(instance.run("fib", [12]).stop, "outOfFuel");
  assert.ok(instance.resumable);
  instance.fuel = Infinity;
  assert.deepEqual(instance.resume(), whole);
  instance.begin("fib", [12]);
  const one = instance.step();
  assert.deepEqual([one.interrupt, one.steps, instance.state.steps], ["step", 1n, 1n]);
  assert.ok(instance.backtrace().length > 0);
  instance.setBreakpoint(instance.state.ip);
  let seen = 0;
  for (let outcome = instance.run("fib", [5]); outcome.interrupt === "breakpoint"; outcome = instance.resume()) seen += 1;
  assert.ok(seen > 1);
  instance.setBreakpoint(one.ip, false);
  const stopped = instance.run("fib", [12], { step: (ip, steps) => steps < 50n });
  assert.deepEqual([stopped.interrupt, stopped.steps], ["breakpoint", 50n]);
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 20);
  const endless = txvm.program(`(module (func (export "f") (loop (br 0))))`).instantiate();
  assert.equal((await endless.runAsync("f", [], { signal: abort.signal })).interrupt, "signal");
  assert.deepEqual((await instance.runAsync("fib", [12], { slice: 1000 })).results, [144]);
});

test("memory: a view, growth to the limit, a sentence beyond it", () => {
  const text = `(module (memory (export "memory") 1) (data (i32.const 3) "abc")
    (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
    (func (export "peek") (param i32) (result i32) (i32.load8_u (local.get 0))))`;
  const instance = txvm.program(text).instantiate({ maxPages: 10 });
  assert.equal(Buffer.from(instance.memory.subarray(3, 6)).toString(), "abc");
  assert.equal(instance.memory.length, 65536);
  instance.memory[70] = 5;
  assert.equal(instance.call("peek", 70), 5);
  assert.equal(instance.call("grow", 9), 1);
  assert.equal(instance.call("grow", 1), -1);
  assert.equal(instance.memory.length, 655360);
  assert.throws(() => txvm.program("(module (memory 11))").instantiate({ maxPages: 10 }), TxvmError);
});

test("many instances with large memories come and go", () => {
  const program = txvm.program(`(module (memory 1) (func (export "f") (result i32)
    (i32.store (i32.const 4096) (i32.add (i32.load (i32.const 4096)) (i32.const 1))) (i32.load (i32.const 4096))))`);
  for (let i = 0; i < 200; i++) {
    const instance = program.instantiate();
    assert.equal(instance.call("f"), 1); // released memory is zero again
    instance.delete();
  }
});

test("snapshots go to the native program and come back", () => {
  const folder = mkdtempSync(join(tmpdir(), "txvm-js-"));
  try {
    const [path, text] = [join(folder, "half.txs"), join(root, "examples/fib.wat")];
    const program = txvm.program(fib, { name: text });
    const whole = program.instantiate().run("fib", [15]);
    const instance = program.instantiate({ fuel: 5000 });
    assert.equal(instance.run("fib", [15]).stop, "outOfFuel");
    writeFileSync(path, instance.snapshot());
    const there = runNative("resume", path, text, "--json");
    assert.equal(there.code, 0, there.err);
    assert.deepEqual(JSON.parse(there.out).results, whole.results);
    assert.equal(BigInt(JSON.parse(there.out).steps), whole.steps);
    const cut = runNative("run", text, "--invoke", "fib", "15", "--snapshot-at", "4321", "--snapshot", path);
    assert.equal(cut.code, 0, cut.err);
    const fresh = program.instantiate();
    fresh.restore(readFileSync(path), { name: "fib" });
    const resumed = fresh.resume();
    assert.deepEqual([resumed.results, resumed.steps], [whole.results, whole.steps]);
    assert.throws(() => fresh.restore(new Uint8Array(50)), TxvmError);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a machine can be loaded without waiting", () => {
  const other = loadSync(readFileSync(join(build, "js/txvm.wasm")));
  assert.equal(other.version, txvm.version);
});
