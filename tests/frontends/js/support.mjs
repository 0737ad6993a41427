// What the tests of the wasm build share: where it is, and the two ways to run a program.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
/** The folder of the preset wasm; TXVM_WASM_BUILD names another. */
export const build = process.env.TXVM_WASM_BUILD ?? join(root, "build-wasm");
/** The program txvm of this machine. */
export const native = process.env.TXVM_BINARY ?? join(root, "build-release/txvm");
const SKIPPED = 77;

/** Ends the test as skipped, with the reason, where one of `files` of the wasm build is missing. */
export function need(...files) {
  for (const file of files) {
    if (existsSync(join(build, file))) continue;
    console.log(`skipped: ${join(build, file)} is not there (cmake --preset wasm, which needs zig, and build it)`);
    process.exit(SKIPPED);
  }
}

function run(command, args) {
  const ran = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28, cwd: root });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

/** Runs the program txvm. */
export const runNative = (...args) => run(native, args);

/** Runs a WASI command of the wasm build under Node. */
export const runWasi = (file, ...args) =>
  run(process.execPath, ["--no-warnings", join(root, "cmake/run_wasi.mjs"), join(build, file), ...args]);

/** What `run --json` prints, without what differs from run to run. */
export function reported(ran) {
  const { seconds, ...report } = JSON.parse(ran.out);
  return report;
}
