// Makes the playground, one file that needs no other: node make.mjs TXVM.wasm EXAMPLES-FOLDER OUTPUT.html
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const [wasm, examples, output] = process.argv.slice(2);
const read = (...path) => readFileSync(join(...path), "utf8");

const shown = [
  ["fib.wat", "fib", "20"], ["gcd.txa", "gcd", "1071 462"], ["sum.txa", "", ""], ["product.txa", "", ""],
  ["dispatch.txa", "main", ""], ["sudoku.wat", "placements", ""], ["trap.wat", "divide", "0"],
].map(([name, entry, args]) => ({ name, entry, args, text: read(examples, name) }));

// A worker of a file has no modules: the module becomes a script.
const machine = read(here, "../txvm.mjs").replaceAll("import.meta.url", "''").replace(/^export /gm, "");
const worker = `${machine}\n${read(here, "worker.js")}`;
const data = (text) => JSON.stringify(text).replaceAll("</", "<\\/").replaceAll("<!--", "<\\!--");

const page = read(here, "page.html")
  .replace("/*STYLE*/", () => read(here, "page.css"))
  .replace("/*DATA*/", () => `const kWorker = ${data(worker)};\nconst kExamples = ${data(shown)};\nconst kWasm = "${gzipSync(readFileSync(wasm), { level: 9 }).toString("base64")}";`)
  .replace("/*SCRIPT*/", () => read(here, "page.js"));
writeFileSync(output, page);
