// Runs a WASI command: node run_wasi.mjs PROGRAM.wasm ARGUMENTS... It sees the whole file system, by full paths.
import { readFileSync, readdirSync } from "node:fs";
import { WASI } from "node:wasi";

const [program, ...args] = process.argv.slice(2);
// The C library takes the folder with the longest name that fits: of "/" and "." it could not tell which is meant.
const folders = readdirSync("/", { withFileTypes: true }).filter((entry) => entry.isDirectory());
const wasi = new WASI({
  version: "preview1",
  args: [program, ...args],
  env: process.env,
  preopens: { ...Object.fromEntries(folders.map(({ name }) => [`/${name}`, `/${name}`])), ".": process.cwd() },
  returnOnExit: true,
});
const { instance } = await WebAssembly.instantiate(readFileSync(program), wasi.getImportObject());
process.exitCode = wasi.start(instance);
