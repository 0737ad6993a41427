// txvm for JavaScript: the compiled-transformer virtual machine, in Node and in pages. txvm.d.ts has the types and what
// each function promises.

const STOPS = ["halted", "trapped", "exited", "outOfFuel", "interrupted", "hostFailed"];
const TRAPS = [
  null, "divide by zero", "integer overflow", "out of bounds", "unreachable", "stack underflow", "exhausted",
  "invalid instruction", "invalid pc", "indirect type", "undefined element", "uninitialized element", "unsupported",
  "host", "invalid conversion", "table out of bounds",
];
const INTERRUPTS = [null, "timeout", "signal", "breakpoint", "step"];
const CODES = [
  null, "syntax", "invalid", "unsupported", "corrupt", "limit", "io", "usage", "host", "internal", "memory",
];
const TYPES = "ilfdv"; // the letters of signatures, in the order of txvm_type
const NAMES = { i32: "i", i64: "l", f32: "f", f64: "d", v128: "v" };
const HOST = { continue: 0, trap: 1, exit: 2, fail: 3 };
const OUTCOME_BYTES = 48;
const VALUE_BYTES = 24;
const RECORD_BYTES = 32;
const TRACE_STEPS = 4096; // made between two looks of an iterator
const SLICE_STEPS = 2_000_000; // made between two looks of an asynchronous run

/** Something that txvm refused: a program, an argument, a limit. */
export class TxvmError extends Error {
  constructor(message, details = {}) {
    super(message);
    this.name = "TxvmError";
    Object.assign(this, details);
  }
}

/** A run that ended otherwise than by halting. `outcome` says how. */
export class TxvmStop extends Error {
  constructor(outcome) {
    super(outcome.message || outcome.stop);
    this.name = "TxvmStop";
    this.outcome = outcome;
  }
}

/** What a host function throws to end the run as exited, with a code. */
export class TxvmExit extends Error {
  constructor(code = 0) {
    super(`exit ${code}`);
    this.name = "TxvmExit";
    this.code = code;
  }
}

const isNode = typeof process !== "undefined" && process.versions?.node !== undefined;

async function readModule(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  const url = source instanceof URL ? source : new URL(String(source), import.meta.url);
  if (isNode && url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new TxvmError(`${url} cannot be read: ${response.status}`, { code: "io" });
  return WebAssembly.compile(await response.arrayBuffer());
}

const hasVectors = () =>
  // (module (func (result v128) i32.const 0 i8x16.splat))
  WebAssembly.validate(
    Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11),
  );

/** Loads the machine. */
export async function load(options = {}) {
  const source = options.wasm ?? new URL(hasVectors() ? "txvm.wasm" : "txvm-plain.wasm", import.meta.url);
  return new Txvm(await readModule(source), options);
}

/** The same, of bytes or of a module that was compiled before: for workers that must not wait. */
export function loadSync(wasm, options = {}) {
  return new Txvm(wasm instanceof WebAssembly.Module ? wasm : new WebAssembly.Module(wasm), options);
}

/** What txvm.wasm asks of the system: nearly nothing. */
function wasiImports(machine) {
  const EBADF = 8, ENOSYS = 52;
  const view = () => new DataView(machine.exports.memory.buffer);
  const functions = {
    fd_write(fd, vectors, count, written) {
      let text = "", size = 0;
      for (let i = 0; i < count; i++) {
        const at = view().getUint32(vectors + 8 * i, true), length = view().getUint32(vectors + 8 * i + 4, true);
        text += machine.text(at, length);
        size += length;
      }
      if (text !== "") console.error(text.replace(/\n$/, ""));
      view().setUint32(written, size, true);
      return 0;
    },
    clock_time_get(_id, _precision, to) {
      view().setBigUint64(to, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    clock_res_get: (_id, to) => (view().setBigUint64(to, 1000n, true), 0),
    environ_sizes_get: (count, size) => (view().setUint32(count, 0, true), view().setUint32(size, 0, true), 0),
    environ_get: () => 0,
    args_sizes_get: (count, size) => (view().setUint32(count, 0, true), view().setUint32(size, 0, true), 0),
    args_get: () => 0,
    random_get: (to, size) => (crypto.getRandomValues(machine.bytes(to, size)), 0),
    fd_prestat_get: () => EBADF,
    proc_exit(code) {
      throw new TxvmError(`txvm.wasm ended itself with ${code}`, { code: "internal" });
    },
  };
  return new Proxy(functions, { get: (known, name) => known[name] ?? (() => ENOSYS) });
}

/** The machine: one instance of txvm.wasm, with programs and their instances in it. */
export class Txvm {
  #hosts = new Map(); // functions by their numbers
  #watchers = new Map(); // instances that are watched, by their numbers
  #next = 1;
  #engines = new Map();
  #thrown; // what a host function threw, until the run that called it has ended
  #lost = false; // a trap of txvm.wasm itself has left it in no known state

  constructor(module) {
    const imports = { txvm_js: this.#callbacks(), wasi_snapshot_preview1: wasiImports(this) };
    this.exports = undefined;
    this.encoder = new TextEncoder();
    this.decoder = new TextDecoder();
    const wanted = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      (wanted[from] ??= {})[name] = imports[from]?.[name];
    }
    this.exports = new WebAssembly.Instance(module, wanted).exports;
    this.exports._initialize?.();
  }

  #callbacks() {
    return {
      host: (number, caller, args, results) => this.#hosts.get(number)(caller, args, results),
      drop: (number) => void this.#hosts.delete(number),
      step: (number, ip, steps) => this.#watchers.get(number).onStep(ip, steps),
      trace: (number, records, count) => this.#watchers.get(number).onTrace(records, count),
      head: (number, head) => this.#watchers.get(number).onHead(head),
    };
  }

  /** "0.2.0" */
  get version() {
    return this.string(this.exports.txvm_version());
  }

  /** The names of the engines. */
  static engines = ["attention", "native", "folded", "hull", "transformer"];

  // ---- memory of txvm.wasm

  view() {
    return new DataView(this.exports.memory.buffer);
  }
  bytes(at, size) {
    return new Uint8Array(this.exports.memory.buffer, at >>> 0, size);
  }
  text(at, size) {
    return this.decoder.decode(this.bytes(at, size).slice());
  }
  string(at) {
    if (at === 0) return "";
    const memory = new Uint8Array(this.exports.memory.buffer);
    return this.text(at, memory.indexOf(0, at >>> 0) - (at >>> 0));
  }

  /** Calls `body` with a function that places bytes in memory for as long as it runs. */
  using(body) {
    const taken = [];
    const allocate = (size) => {
      const at = this.exports.txvm_js_allocate(Math.max(size, 1)) >>> 0;
      if (at === 0) throw new TxvmError(`txvm.wasm has no memory for ${size} bytes`, { code: "memory" });
      taken.push(at);
      return at;
    };
    const scope = {
      zeros: (size) => {
        const at = allocate(size);
        this.bytes(at, size).fill(0);
        return at;
      },
      place: (bytes) => {
        const at = allocate(bytes.length);
        this.bytes(at, bytes.length).set(bytes);
        return at;
      },
      string: (text) => scope.place(this.encoder.encode(`${text}\0`)),
    };
    try {
      return body(scope);
    } finally {
      if (!this.#lost) for (const at of taken) this.exports.txvm_js_release(at);
    }
  }

  /** Calls an export of txvm.wasm; an error object that it returns is thrown. */
  call(name, ...args) {
    if (this.#lost) {
      throw new TxvmError("txvm.wasm has failed before: load it again", { code: "internal" });
    }
    try {
      return this.exports[name](...args);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
        this.#lost = true;
        throw new TxvmError(`txvm.wasm has failed (${error.message}), perhaps for want of memory: load it again`, {
          code: "internal",
        });
      }
      throw error;
    }
  }

  check(name, ...args) {
    const error = this.call(name, ...args) >>> 0;
    if (error === 0) return;
    const e = this.exports;
    const details = {
      code: CODES[e.txvm_error_get_code(error)],
      report: this.string(e.txvm_error_report(error)),
      line: e.txvm_error_line(error),
      column: e.txvm_error_column(error),
    };
    const message = this.string(e.txvm_error_message(error));
    e.txvm_error_delete(error);
    throw new TxvmError(message, details);
  }

  /** check, of a function that hands out a pointer or a number through its last argument. */
  out(name, ...args) {
    return this.using((scope) => {
      const at = scope.zeros(4);
      this.check(name, ...args, at);
      return this.view().getUint32(at, true);
    });
  }

  takeBuffer(name, ...args) {
    return this.using((scope) => {
      const at = scope.zeros(8);
      this.check(name, ...args, at, at + 4);
      const buffer = this.view().getUint32(at, true), size = this.view().getUint32(at + 4, true);
      const bytes = this.bytes(buffer, size).slice();
      this.exports.txvm_buffer_delete(this.engine("attention"), buffer, size);
      return bytes;
    });
  }

  engine(name) {
    if (!this.#engines.has(name)) {
      const engine = this.using((scope) => {
        const options = scope.zeros(20), text = scope.string(name);
        this.view().setUint32(options, 20, true);
        this.view().setUint32(options + 4, text, true);
        return this.out("txvm_engine_new", options);
      });
      this.#engines.set(name, engine);
    }
    return this.#engines.get(name);
  }

  // ---- values

  writeValue(at, letter, value) {
    const view = this.view(), to = at + 8;
    view.setUint32(at, TYPES.indexOf(letter), true);
    if (letter === "i") view.setInt32(to, Number(value), true);
    else if (letter === "l") view.setBigInt64(to, BigInt.asIntN(64, BigInt(value)), true);
    else if (letter === "f") view.setFloat32(to, Number(value), true);
    else if (letter === "d") view.setFloat64(to, Number(value), true);
    else {
      const bytes = new Uint8Array(value.buffer ?? value, value.byteOffset ?? 0, 16);
      this.bytes(to, 16).set(bytes);
    }
  }

  readValue(at) {
    const view = this.view(), from = at + 8;
    switch (view.getUint32(at, true)) {
      case 0:
        return view.getInt32(from, true);
      case 1:
        return view.getBigInt64(from, true);
      case 2:
        return view.getFloat32(from, true);
      case 3:
        return view.getFloat64(from, true);
      default:
        return this.bytes(from, 16).slice();
    }
  }

  readValues(at, count) {
    return Array.from({ length: count }, (_, i) => this.readValue(at + i * VALUE_BYTES));
  }

  readOutcome(at) {
    const view = this.view();
    return {
      stop: STOPS[view.getUint32(at + 4, true)],
      trap: TRAPS[view.getUint32(at + 8, true)] ?? null,
      interrupt: INTERRUPTS[view.getUint32(at + 12, true)] ?? null,
      exitCode: view.getInt32(at + 16, true),
      ip: view.getUint32(at + 20, true),
      steps: view.getBigUint64(at + 32, true),
      digest: view.getBigUint64(at + 40, true),
    };
  }

  // ---- host functions

  /** Makes a function of JavaScript one that txvm.wasm calls; returns its number. */
  registerHost(callable, signature, callerOf) {
    const [params, results] = signature.split(":");
    const number = this.#next++;
    this.#hosts.set(number, (caller, args, to) => {
      try {
        const given = this.readValues(args, params.length);
        const got = callable.apply(callerOf(caller >>> 0), given);
        const list = results.length === 0 ? [] : results.length === 1 ? [got] : [...got];
        for (let i = 0; i < results.length; i++) this.writeValue(to + i * VALUE_BYTES, results[i], list[i]);
        return HOST.continue;
      } catch (error) {
        if (error instanceof TxvmExit) return this.exports.txvm_host_exit(caller, error.code);
        this.#thrown = error;
        return this.using((scope) =>
          this.exports.txvm_host_trap(caller, scope.string(error?.message ?? String(error))),
        );
      }
    });
    return number;
  }

  takeThrown() {
    const thrown = this.#thrown;
    this.#thrown = undefined;
    return thrown;
  }

  watch(watcher) {
    const number = this.#next++;
    this.#watchers.set(number, watcher);
    return number;
  }
  unwatch(number) {
    this.#watchers.delete(number);
  }

  // ---- programs

  /** Loads a program: text of .txa or .wat (see `name`), or the bytes of a .txp or .wasm. */
  program(source, options = {}) {
    const engine = options.engine ?? "attention";
    const bytes =
      typeof source === "string" ? this.encoder.encode(source)
      : source instanceof ArrayBuffer ? new Uint8Array(source)
      : new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    const name = options.name ?? (typeof source === "string" && /^\s*\(/.test(source) ? "program.wat" : "program");
    const handle = this.using((scope) =>
      this.out("txvm_program_load", this.engine(engine), scope.place(bytes), bytes.length, scope.string(name)),
    );
    return new Program(this, handle, engine);
  }
}

const finalizers = new FinalizationRegistry((free) => free());

/** A program that was verified, with what it exports and imports. */
export class Program {
  constructor(txvm, handle, engine) {
    this.txvm = txvm;
    this.handle = handle;
    this.engine = engine;
    finalizers.register(this, () => txvm.exports.txvm_program_delete(handle), this);
    this.exports = this.#list("export");
    this.imports = this.#list("import");
  }

  #list(kind) {
    const { txvm } = this;
    const e = txvm.exports;
    return txvm.using((scope) => {
      const at = scope.zeros(16);
      return Array.from({ length: e[`txvm_${kind}_count`](this.handle) }, (_, index) => {
        txvm.check(`txvm_${kind}_get`, this.handle, index, at);
        const [module, name] = [txvm.view().getUint32(at, true), txvm.view().getUint32(at + 4, true)];
        const item = { name: txvm.string(name), signature: txvm.string(e[`txvm_${kind}_signature`](this.handle, index)) };
        return kind === "import" ? { module: txvm.string(module), ...item } : item;
      });
    });
  }

  /** The program as a .txp file. */
  save() {
    return this.txvm.takeBuffer("txvm_program_save", this.handle);
  }

  /** The first instruction of a source line. */
  findLine(line) {
    return this.txvm.out("txvm_line_find", this.handle, line);
  }

  instantiate(options = {}) {
    return new Instance(this, options);
  }
}

const ENTRY = 0xffffffff;

/** A running state of a program: memory, globals, stacks. */
export class Instance {
  #linker = 0;
  #watcher;
  #number;
  #results = 0; // of the call under way
  #free;
  #digest = false;

  constructor(program, options) {
    const { txvm } = program;
    this.txvm = txvm;
    this.program = program;
    this.#linker = txvm.out("txvm_linker_new", txvm.engine(program.engine));
    try {
      this.#define(options.imports ?? {});
      this.handle = txvm.using((scope) => {
        const at = scope.zeros(28);
        [28, options.maxSlots, options.maxDepth, options.maxLocals, options.maxPages].forEach((value, i) =>
          txvm.view().setUint32(at + 4 * i, value ?? 0, true),
        );
        return txvm.out("txvm_instance_new", program.handle, this.#linker, at);
      });
    } finally {
      txvm.exports.txvm_linker_delete(this.#linker);
    }
    const handle = this.handle;
    const self = new WeakRef(this); // what the machine holds must not keep it from being collected
    this.#watcher = {
      step: null, records: null, heads: null, failed: undefined,
      onStep(ip, steps) {
        try {
          return this.step(ip, steps) !== false;
        } catch (error) {
          this.failed = error;
          return false;
        }
      },
      onTrace(records, count) {
        const view = self.deref().txvm.view();
        for (let i = 0; i < count; i++) {
          const at = records + i * RECORD_BYTES;
          this.records.push({
            step: view.getBigUint64(at, true), ip: view.getUint32(at + 8, true), op: view.getUint32(at + 12, true),
            aux: view.getUint32(at + 16, true), arg: view.getUint32(at + 20, true), sp: view.getUint32(at + 24, true),
            top: view.getUint32(at + 28, true),
          });
        }
      },
      onHead(at) {
        const machine = self.deref().txvm;
        const view = machine.view();
        this.heads.push({
          step: view.getBigUint64(at, true), ip: view.getUint32(at + 8, true),
          name: machine.string(view.getUint32(at + 12, true)), space: machine.string(view.getUint32(at + 16, true)),
          query: view.getBigUint64(at + 24, true), winner: view.getBigInt64(at + 32, true),
          score: view.getBigInt64(at + 40, true), margin: view.getBigInt64(at + 48, true),
          keys: view.getUint32(at + 56, true),
        });
      },
    };
    const number = (this.#number = txvm.watch(this.#watcher));
    const free = () => {
      txvm.unwatch(number);
      txvm.exports.txvm_instance_delete(handle);
    };
    finalizers.register(this, free, this);
    this.#free = free;
    this.exports = Object.fromEntries(
      program.exports.map(({ name }) => [name, (...args) => this.call(name, ...args)]),
    );
    if (options.fuel !== undefined) this.fuel = options.fuel;
    if (options.start !== false) this.start();
  }

  #define(imports) {
    const { txvm, program } = this;
    const self = new WeakRef(this);
    const callerOf = () => self.deref();
    for (const { module, name, signature } of program.imports) {
      const given = imports[module]?.[name];
      if (typeof given !== "function") continue; // memory.grow is there; what is not is told by name
      const number = txvm.registerHost(given, signature, callerOf);
      txvm.using((scope) =>
        txvm.check("txvm_js_define", this.#linker, scope.string(module), scope.string(name), scope.string(signature), number),
      );
    }
  }

  #index(name) {
    if (name === undefined) return ENTRY;
    const index = this.program.exports.findIndex((entry) => entry.name === name);
    if (index >= 0) return index;
    return this.txvm.using((scope) => this.txvm.out("txvm_export_find", this.program.handle, scope.string(name)));
  }

  #signature(index) {
    if (index === ENTRY) return ["", ""];
    return this.program.exports[index].signature.split(":");
  }

  /** Runs `name`, an export of the C interface, and reads how it ended. */
  #finish(name, count, ...args) {
    const { txvm } = this;
    return txvm.using((scope) => {
      const results = scope.zeros(count * VALUE_BYTES), outcome = scope.zeros(OUTCOME_BYTES);
      txvm.view().setUint32(outcome, OUTCOME_BYTES, true);
      if (name === "txvm_start") txvm.check(name, this.handle, outcome);
      else txvm.check(name, this.handle, ...args, results, count, outcome);
      const read = txvm.readOutcome(outcome);
      read.results = read.stop === "halted" ? txvm.readValues(results, count) : [];
      if (!this.#digest) read.digest = null;
      read.message = read.stop === "halted" ? "" : txvm.string(txvm.exports.txvm_message(this.handle));
      const thrown = txvm.takeThrown() ?? this.#watcher.failed;
      this.#watcher.failed = undefined;
      if (thrown !== undefined && read.stop !== "halted") read.cause = thrown;
      return read;
    });
  }

  #watching({ step = null, records = null, heads = null, digest = false }) {
    Object.assign(this.#watcher, { step, records, heads });
    this.#digest = digest;
    this.txvm.check("txvm_js_watch", this.handle, this.#number, step !== null, records !== null, heads !== null, digest, false);
  }

  #arguments(name, args, scope) {
    const index = this.#index(name);
    const [params, results] = this.#signature(index);
    if (index !== ENTRY && args.length !== params.length) {
      throw new TxvmError(`${name} takes ${params.length} arguments, given ${args.length}`, { code: "usage" });
    }
    const at = scope.zeros(args.length * VALUE_BYTES);
    args.forEach((value, i) => this.txvm.writeValue(at + i * VALUE_BYTES, params[i] ?? "i", value));
    this.#results = results.length;
    return [index, at, args.length];
  }

  /** Runs the start function; throws a TxvmStop where it does not halt. */
  start() {
    const outcome = this.#finish("txvm_start", 0);
    if (outcome.stop !== "halted") throw new TxvmStop(outcome);
  }

  /** Calls an export; its result, an array of them, or a TxvmStop that is thrown. */
  call(name, ...args) {
    const outcome = this.run(name, args);
    if (outcome.stop !== "halted") throw new TxvmStop(outcome);
    return outcome.results.length > 1 ? outcome.results : outcome.results[0];
  }

  /** Calls an export and says how that ended. */
  run(name, args = [], { digest = false, step = null } = {}) {
    this.#watching({ digest, step });
    return this.txvm.using((scope) => {
      const placed = this.#arguments(name, args, scope); // sets the count of results
      return this.#finish("txvm_call_values", this.#results, ...placed);
    });
  }

  /** Places a call without making a step of it. */
  begin(name, args = [], { digest = false, step = null } = {}) {
    this.#watching({ digest, step });
    this.txvm.using((scope) => this.txvm.check("txvm_begin_values", this.handle, ...this.#arguments(name, args, scope)));
  }

  /** Goes on after outOfFuel or interrupted. */
  resume() {
    return this.#finish("txvm_resume_values", this.#results);
  }

  /** Goes on for at most `steps` steps. */
  step(steps = 1) {
    return this.#finish("txvm_step_values", this.#results, BigInt(steps));
  }

  get resumable() {
    return this.txvm.call("txvm_resumable", this.handle) !== 0;
  }

  /** Calls an export without holding up the thread: every few milliseconds others have their turn. */
  async runAsync(name, args = [], { digest = false, signal, slice = SLICE_STEPS, progress } = {}) {
    this.begin(name, args, { digest });
    for (;;) {
      const outcome = this.step(slice);
      if (outcome.interrupt !== "step") return outcome;
      progress?.(outcome);
      await new Promise((resume) => setTimeout(resume, 0));
      if (signal?.aborted) return { ...outcome, interrupt: "signal", message: "interrupted (signal)" };
    }
  }

  /** Asks the run in progress to stop: from a host function or a step function. */
  interrupt() {
    this.txvm.exports.txvm_interrupt(this.handle, 2);
  }

  *#observe(what, name, args) {
    const list = [];
    this.#watching({ [what]: list });
    this.txvm.using((scope) => this.txvm.check("txvm_begin_values", this.handle, ...this.#arguments(name, args, scope)));
    try {
      for (;;) {
        const outcome = this.step(TRACE_STEPS);
        yield* list;
        list.length = 0;
        if (outcome.interrupt !== "step") return outcome;
      }
    } finally {
      this.#watching({});
    }
  }

  /** The records of a call, step by step; the iterator returns its outcome. */
  trace(name, args = []) {
    return this.#observe("records", name, args);
  }

  /** The attention heads of a call, in the order in which they are read; engine attention. */
  heads(name, args = []) {
    return this.#observe("heads", name, args);
  }

  /** The heads of the next step, which is made. */
  nextHeads() {
    const list = [];
    this.#watching({ heads: list });
    try {
      this.step();
    } finally {
      this.#watching({});
    }
    return list;
  }

  // ---- state

  /** The linear memory, as it is until the next call into txvm. */
  get memory() {
    const size = Number(this.txvm.call("txvm_memory_size", this.handle));
    return this.txvm.bytes(this.txvm.exports.txvm_memory_data(this.handle), size);
  }

  /** The operand stack, first deepest. */
  get stack() {
    return this.txvm.using((scope) => {
      const count = scope.zeros(4);
      const at = this.txvm.call("txvm_stack", this.handle, count) >>> 0;
      return new Int32Array(this.txvm.exports.memory.buffer, at, this.txvm.view().getUint32(count, true)).slice();
    });
  }

  /** Instruction, stack pointer, depth and steps of the stopped run. */
  get state() {
    return this.txvm.using((scope) => {
      const at = scope.zeros(24);
      this.txvm.view().setUint32(at, 24, true);
      this.txvm.check("txvm_state_get", this.handle, at);
      const view = this.txvm.view();
      return {
        ip: view.getUint32(at + 4, true), sp: view.getUint32(at + 8, true), depth: view.getUint32(at + 12, true),
        steps: view.getBigUint64(at + 16, true),
      };
    });
  }

  /** Where the stopped run is: innermost first. */
  backtrace(most = 64) {
    const { txvm } = this;
    return txvm.using((scope) => {
      const at = scope.zeros(most * 16);
      const count = Math.min(most, txvm.call("txvm_backtrace", this.handle, at, most));
      return Array.from({ length: count }, (_, i) => {
        const view = txvm.view(), from = at + 16 * i;
        return {
          ip: view.getUint32(from, true), line: view.getUint32(from + 4, true),
          function: txvm.string(view.getUint32(from + 8, true)), source: txvm.string(view.getUint32(from + 12, true)),
        };
      });
    });
  }

  /** An i32 global of WebAssembly by its exported name. */
  global(name) {
    const { txvm } = this;
    const index = txvm.using((scope) => txvm.out("txvm_global_find", this.program.handle, scope.string(name)));
    return txvm.out("txvm_global_get", this.handle, index) | 0;
  }

  setGlobal(name, value) {
    const { txvm } = this;
    const index = txvm.using((scope) => txvm.out("txvm_global_find", this.program.handle, scope.string(name)));
    txvm.check("txvm_global_set", this.handle, index, value);
  }

  /** Steps that runs may still make; Infinity: no limit. */
  get fuel() {
    const fuel = BigInt.asUintN(64, this.txvm.call("txvm_fuel_get", this.handle));
    return fuel === 0xffffffffffffffffn ? Infinity : fuel;
  }
  set fuel(steps) {
    this.txvm.check("txvm_fuel_set", this.handle, steps === Infinity ? 0xffffffffffffffffn : BigInt(steps));
  }

  setBreakpoint(ip, on = true) {
    this.txvm.check("txvm_breakpoint_set", this.handle, ip, on);
  }

  /** The state as a .txs file, which every txvm resumes, native ones too. */
  snapshot() {
    return this.txvm.takeBuffer("txvm_snapshot_save", this.handle);
  }

  /** Gives its memory back now, not when it is collected; it is not to be used any more. */
  delete() {
    finalizers.unregister(this);
    this.#free();
  }

  /** Makes this instance what a snapshot says. `name`: the export that was under way, for its results. */
  restore(bytes, { name } = {}) {
    this.txvm.using((scope) =>
      this.txvm.check("txvm_snapshot_restore", this.handle, scope.place(bytes), bytes.length),
    );
    if (name !== undefined) this.#results = this.#signature(this.#index(name))[1].length;
  }
}
