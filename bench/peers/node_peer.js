// node node_peer.js PROG.wasm EXPORT TIMES ARG...: runs an export, prints its result and the
// processor nanoseconds of each run.
const fs = require('fs');
const [path, name, times, ...args] = process.argv.slice(2);
const module_ = new WebAssembly.Module(fs.readFileSync(path));
const run = new WebAssembly.Instance(module_, {}).exports[name];
const numbers = args.map(Number);
for (let i = 0; i < Number(times); ++i) {
  const start = process.cpuUsage();
  const result = run(...numbers) >>> 0;
  const used = process.cpuUsage(start);
  console.log(`${result} ${1000 * (used.user + used.system)}`);
}
