// Random programs end alike on x86-64 and on wasm32: outcome, place, results, steps and digest.
// By hand: node random_test.mjs CASES SEED; TXVM_RANDOM_OUTCOMES names the native program.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { need, root, runWasi } from "./support.mjs";

need("txvm_random_outcomes.wasm");
const [cases, seed] = [process.argv[2] ?? "3000", process.argv[3] ?? "1"];
const program = process.env.TXVM_RANDOM_OUTCOMES ?? join(root, "build-release/tests/fuzz/txvm_random_outcomes");
const there = spawnSync(program, [cases, seed], { encoding: "utf8", maxBuffer: 1 << 30 });
assert.equal(there.status, 0, there.stderr ?? String(there.error));
const here = runWasi("txvm_random_outcomes.wasm", cases, seed);
assert.equal(here.code, 0, here.err);
const [expected, got] = [there.stdout.split("\n"), here.out.split("\n")];
expected.forEach((line, i) => assert.equal(got[i], line));
assert.equal(got.length, expected.length);
console.log(`${cases} random programs end alike, from seed ${seed}`);
