// The machine of the playground, in a worker: the page asks, this answers, and a long run looks up every few
// milliseconds. make.mjs puts txvm.mjs before it, and both into the page.

const kSliceMs = 12; // between two looks at what the page wants
const kKept = 48; // snapshots kept for the way back
let txvm, compiled;
let program, instance, call;
let kept = []; // [{steps, bytes}] ascending
let running = false, wanted = null;

const idle = () =>
  new Promise((resume) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = resume;
    channel.port2.postMessage(0);
  });

const plain = (value) => (typeof value === "bigint" ? value.toString() : value instanceof Uint8Array ? [...value].join(" ") : value);

function told(error) {
  return { message: error.message ?? String(error), report: error.report ?? "", line: error.line ?? 0, column: error.column ?? 0, code: error.code ?? "" };
}

/** A machine that has failed, or runs out of memory, is replaced by a fresh one. */
function fresh() {
  txvm = loadSync(compiled);
}

function loadProgram(source, name, engine) {
  instance?.delete();
  instance = program = undefined;
  kept = [];
  program = txvm.program(source, { name, engine });
  return { exports: program.exports, imports: program.imports };
}

function hosts() {
  const imports = {};
  for (const { module: from, name, signature } of program.imports) {
    (imports[from] ??= {})[name] = (...values) => {
      postMessage({ event: "host", text: `${from}.${name}(${values.map(plain).join(", ")})` });
      const results = [...signature.split(":")[1]].map((letter) => (letter === "l" ? 0n : letter === "v" ? new Uint8Array(16) : 0));
      return results.length > 1 ? results : results[0];
    };
  }
  return imports;
}

function parse(text, letter) {
  const trimmed = text.trim();
  if (letter === "l") return BigInt(trimmed);
  const number = Number(trimmed);
  if (trimmed === "" || Number.isNaN(number)) throw new TxvmError(`'${text}' is no number`, { code: "usage" });
  return number;
}

/** Places a call: nothing of it has run yet. */
function begin({ name, args, breakpoints, maxPages }) {
  instance?.delete();
  instance = program.instantiate({ imports: hosts(), maxPages, start: false, fuel: 200_000_000 });
  instance.start(); // one that does not end stops for want of fuel
  instance.fuel = Infinity;
  const entry = program.exports.find((item) => item.name === name);
  const letters = entry ? entry.signature.split(":")[0] : "";
  const texts = args.trim() === "" ? [] : args.trim().split(/[\s,]+/);
  if (texts.length !== letters.length) {
    throw new TxvmError(`${name ?? "the entry"} takes ${letters.length} arguments, given ${texts.length}`, { code: "usage" });
  }
  call = { name, args: texts.map((text, i) => parse(text, letters[i])) };
  instance.begin(call.name, call.args);
  for (const line of breakpoints ?? []) breakAt(line, true);
  kept = [{ steps: 0n, bytes: instance.snapshot() }];
  return view(null);
}

function breakAt(line, on) {
  try {
    instance.setBreakpoint(program.findLine(line), on);
  } catch {
    // a line without code
  }
}

/** What the page shows of the stopped run. */
function view(outcome) {
  const state = instance.state;
  const frames = instance.backtrace(12);
  return {
    steps: state.steps.toString(), ip: state.ip, sp: state.sp, depth: state.depth,
    stack: [...instance.stack.slice(-24)], frames, line: frames[0]?.line ?? 0,
    ended: outcome !== null && outcome.interrupt !== "step" && outcome.interrupt !== "breakpoint" && outcome.stop !== "outOfFuel",
    outcome: outcome && {
      ...outcome, steps: outcome.steps.toString(), digest: outcome.digest?.toString(16) ?? null,
      results: outcome.results.map(plain), cause: undefined,
    },
  };
}

function keep() {
  const steps = instance.state.steps;
  if (kept.length > 0 && kept[kept.length - 1].steps >= steps) return;
  kept.push({ steps, bytes: instance.snapshot() });
  if (kept.length > kKept) kept = kept.filter((_, i) => i === 0 || i % 2 === 0 || i > kept.length - 8);
}

/** Runs until it ends, a breakpoint, `limit` steps in all, or the page wants something else. */
async function go(limit = null) {
  running = true;
  let slice = 20_000, outcome = null;
  const begun = performance.now(), first = instance.state.steps;
  let shown = begun;
  try {
    for (;;) {
      const before = performance.now(), at = instance.state.steps;
      if (limit !== null && at >= limit) break;
      const steps = limit === null ? BigInt(slice) : limit - at < BigInt(slice) ? limit - at : BigInt(slice);
      outcome = instance.step(steps);
      const now = performance.now();
      if (outcome.interrupt !== "step") break;
      if (now - before < kSliceMs / 2) slice = Math.min(slice * 2, 20_000_000);
      if (now - before > kSliceMs * 2) slice = Math.max(slice >> 1, 200);
      if (now - shown > 80) {
        keep();
        postMessage({ event: "progress", ...view(outcome), perSecond: (Number(instance.state.steps - first) / (now - begun)) * 1000 });
        shown = now;
      }
      await idle();
      if (wanted === "pause") break;
    }
  } finally {
    running = false;
    wanted = null;
  }
  const seconds = (performance.now() - begun) / 1000;
  return { ...view(outcome), perSecond: Number(instance.state.steps - first) / Math.max(seconds, 1e-9) };
}

/** Goes to a step, back too: from the last state kept before it. */
async function jump(step) {
  if (step < 0n) step = 0n;
  if (step < instance.state.steps) {
    const from = kept.filter(({ steps }) => steps <= step).at(-1);
    instance.restore(from.bytes, { name: call.name });
  }
  let outcome = null;
  for (;;) {
    const at = instance.state.steps;
    if (at >= step) break;
    outcome = instance.step(step - at < 500_000n ? step - at : 500_000n);
    if (outcome.interrupt !== "step" && outcome.interrupt !== "breakpoint") break;
    await idle();
  }
  return view(outcome);
}

/** The heads of the next step, on the attention engine, without making it. */
function heads() {
  if (program.engine !== "attention") return [];
  const before = instance.snapshot();
  let list = [];
  try {
    list = instance.nextHeads();
  } finally {
    instance.restore(before, { name: call.name });
  }
  return list.map((head) => ({
    ...head, step: head.step.toString(), query: head.query.toString(), winner: head.winner.toString(),
    score: head.score.toString(), margin: head.margin.toString(),
  }));
}

/** Every engine on the same call, for at most `ms` each. */
async function race({ source, name, entry, args, ms }) {
  for (const engine of ["native", "attention", "hull", "transformer"]) {
    const other = txvm.program(source, { name, engine });
    const runner = other.instantiate({ imports: hosts(), maxPages: 1024, start: false, fuel: 200_000_000 });
    runner.start();
    runner.fuel = Infinity;
    runner.begin(entry, args);
    const begun = performance.now();
    let outcome, slice = 200;
    do {
      const before = performance.now();
      outcome = runner.step(slice);
      if (performance.now() - before < kSliceMs / 2) slice = Math.min(slice * 2, 20_000_000);
      await idle();
    } while (outcome.interrupt === "step" && performance.now() - begun < ms && wanted !== "pause");
    const seconds = (performance.now() - begun) / 1000;
    const steps = Number(outcome.steps);
    postMessage({ event: "race", engine, steps, seconds, perSecond: steps / seconds, ended: outcome.interrupt !== "step" });
    runner.delete();
  }
  wanted = null;
  return {};
}

const commands = {
  async init({ wasm }) {
    compiled = await WebAssembly.compile(wasm);
    fresh();
    return { version: txvm.version };
  },
  load: ({ source, name, engine }) => loadProgram(source, name, engine),
  check({ source, name }) {
    txvm.program(source, { name, engine: "native" });
    return {};
  },
  begin,
  go: () => go(),
  jump: ({ step }) => jump(BigInt(step)),
  back: ({ steps }) => jump(instance.state.steps - BigInt(steps)),
  forward: ({ steps }) => jump(instance.state.steps + BigInt(steps)),
  heads: () => ({ heads: heads() }),
  breakpoint: ({ line, on }) => (instance && breakAt(line, on), {}),
  race: (what) => race({ ...what, args: call.args, entry: call.name }),
};

onmessage = async ({ data }) => {
  if (data.command === "pause") {
    wanted = "pause";
    return;
  }
  try {
    if (running) throw new TxvmError("a run is under way: pause it first", { code: "usage" });
    postMessage({ id: data.id, ...(await commands[data.command](data)) });
  } catch (error) {
    const refused = error instanceof TxvmStop ? { ...told(error), stop: error.outcome.stop } : told(error);
    if (error.code === "internal" && compiled) {
      fresh();
      instance = program = undefined;
    }
    postMessage({ id: data.id, error: refused });
  }
};
