// txvm for JavaScript. Numbers of WebAssembly are: i32, f32, f64 a number, i64 a bigint, v128 a Uint8Array of 16 bytes.
// Everything that txvm refuses is thrown as a TxvmError.

/** A value of a program. */
export type Value = number | bigint | Uint8Array;

/** The five ways to run a program. All give the same results and steps; `folded` runs as `native` here. */
export type EngineName = "attention" | "native" | "folded" | "hull" | "transformer";

export interface LoadOptions {
  /** txvm.wasm: its bytes, its address or the compiled module. Default: the file beside txvm.mjs, with vectors if they are there. */
  wasm?: BufferSource | WebAssembly.Module | URL | string;
}

/** Loads the machine. Several may be loaded; each has its own memory of at most 4 GiB. */
export function load(options?: LoadOptions): Promise<Txvm>;
/** The same without waiting: in Node, and in workers. */
export function loadSync(wasm: BufferSource | WebAssembly.Module): Txvm;

/** What txvm refuses: a program, an argument, a limit. */
export class TxvmError extends Error {
  code: "syntax" | "invalid" | "unsupported" | "corrupt" | "limit" | "io" | "usage" | "host" | "internal" | "memory";
  /** "file:line:column: error: message", the line and a caret where known. */
  report?: string;
  /** From 1; 0: unknown. */
  line?: number;
  column?: number;
}

/** What `Instance.call` throws for a run that did not halt. */
export class TxvmStop extends Error {
  outcome: Outcome;
}

/** Thrown by a host function, it ends the run as exited. Any other error ends it as trapped, with its message. */
export class TxvmExit extends Error {
  constructor(code?: number);
  code: number;
}

export interface ProgramOptions {
  /** Default: attention. */
  engine?: EngineName;
  /** Stands in errors; `.wat` at its end says that a text is WebAssembly. Default: what the text begins with says that. */
  name?: string;
}

export class Txvm {
  private constructor();
  readonly version: string;
  static readonly engines: EngineName[];
  /** Loads and verifies: text of .txa or .wat, or the bytes of a .txp or .wasm. */
  program(source: string | BufferSource, options?: ProgramOptions): Program;
}

export interface ExportedFunction {
  name: string;
  /** "lf:d": a letter for each parameter, ':', one for each result. i, l, f, d, v: i32, i64, f32, f64, v128. */
  signature: string;
}

export interface ImportedFunction extends ExportedFunction {
  module: string;
}

export class Program {
  private constructor();
  readonly engine: EngineName;
  readonly exports: ExportedFunction[];
  readonly imports: ImportedFunction[];
  /** The program as a .txp file. */
  save(): Uint8Array;
  /** The first instruction of a source line, from 1. */
  findLine(line: number): number;
  /** Links the imports and applies the data; runs the start function too, unless `start` is false. */
  instantiate(options?: InstanceOptions): Instance;
}

/** A host function; `this` is the instance that calls it. Several results are an array. */
export type HostFunction = (this: Instance, ...args: any[]) => Value | Value[] | void;

export interface InstanceOptions {
  /** Functions by module and name. */
  imports?: Record<string, Record<string, HostFunction>>;
  /** Operand stack slots, call frames, slots of locals, memory pages of 64 KiB. */
  maxSlots?: number;
  maxDepth?: number;
  maxLocals?: number;
  maxPages?: number;
  /** Steps that runs may make; default: no limit. */
  fuel?: number | bigint;
  /** false: the start function is left to `start`. */
  start?: boolean;
}

/** How a run ended. */
export interface Outcome {
  stop: "halted" | "trapped" | "exited" | "outOfFuel" | "interrupted" | "hostFailed";
  trap: string | null;
  interrupt: "timeout" | "signal" | "breakpoint" | "step" | null;
  exitCode: number;
  /** The instruction that trapped, or the next one. */
  ip: number;
  /** Empty unless halted. */
  results: Value[];
  /** Of the invocation so far, over all resumes. */
  steps: bigint;
  /** Of the trace, where it was asked for. */
  digest: bigint | null;
  /** One sentence with its place; "" when halted. */
  message: string;
  /** What a host function or a step function threw. */
  cause?: unknown;
}

/** Called before each step; false stops the run there, interrupted (breakpoint). */
export type StepFunction = (ip: number, steps: bigint) => boolean | void;

export interface RunOptions {
  /** The outcome has the digest of the trace. */
  digest?: boolean;
  step?: StepFunction;
}

export interface AsyncRunOptions {
  digest?: boolean;
  /** Stops the run, interrupted (signal). */
  signal?: AbortSignal;
  /** Steps between two looks at the signal; default two million. */
  slice?: number;
  /** Called between slices. */
  progress?: (outcome: Outcome) => void;
}

/** One step. */
export interface TraceRecord {
  step: bigint;
  ip: number;
  op: number;
  aux: number;
  arg: number;
  /** After it. */
  sp: number;
  top: number;
}

/** One attention head, evaluated: the address it asked for, and which key won by how much. */
export interface Head {
  step: bigint;
  ip: number;
  name: string;
  space: string;
  query: bigint;
  /** -1n: no key reached the query. */
  winner: bigint;
  score: bigint;
  margin: bigint;
  keys: number;
}

export interface Frame {
  ip: number;
  line: number;
  function: string;
  source: string;
}

export class Instance {
  private constructor();
  readonly program: Program;
  /** The program's exports as functions: exports.fib(10) is call("fib", 10). */
  readonly exports: Record<string, (...args: Value[]) => any>;
  /** Runs the start function. */
  start(): void;
  /** Calls an export: its result, an array of several, undefined for none. Throws a TxvmStop where it does not halt. */
  call(name: string, ...args: Value[]): any;
  /** Calls an export and says how that ended; without a name, the program's entry. */
  run(name?: string, args?: Value[], options?: RunOptions): Outcome;
  /** Places a call without making a step of it: for `step`. */
  begin(name?: string, args?: Value[], options?: RunOptions): void;
  /** Goes on after outOfFuel or interrupted, as if the run had never stopped. */
  resume(): Outcome;
  /** Goes on for at most `steps` steps. */
  step(steps?: number | bigint): Outcome;
  readonly resumable: boolean;
  /** `run` in slices, between which the thread does other work. */
  runAsync(name?: string, args?: Value[], options?: AsyncRunOptions): Promise<Outcome>;
  /** Asks the run in progress to stop; it does within 1,024 steps and can be resumed. From a host or step function. */
  interrupt(): void;
  /** The steps of a call, one after the other; the iterator returns the outcome. */
  trace(name?: string, args?: Value[]): Generator<TraceRecord, Outcome, void>;
  /** The attention heads of a call in the order in which they are read; engine attention alone. */
  heads(name?: string, args?: Value[]): Generator<Head, Outcome, void>;
  /** Makes one step of the stopped run, and gives the heads that it read. */
  nextHeads(): Head[];
  /** The linear memory itself, not a copy. The view is good until txvm runs or loads: take it anew afterwards. */
  readonly memory: Uint8Array;
  /** The operand stack, first deepest. */
  readonly stack: Int32Array;
  readonly state: { ip: number; sp: number; depth: number; steps: bigint };
  /** Where the stopped run, or the host call in progress, is: innermost first. */
  backtrace(most?: number): Frame[];
  /** An exported i32 global of WebAssembly. */
  global(name: string): number;
  setGlobal(name: string, value: number): void;
  /** Steps that runs may still make; Infinity: no limit. */
  get fuel(): bigint | number;
  set fuel(steps: bigint | number);
  /** Stops before the instruction, interrupted (breakpoint), each time it is reached. */
  setBreakpoint(ip: number, on?: boolean): void;
  /** The state of a stopped instance as a .txs file, which every txvm resumes, on every machine. */
  snapshot(): Uint8Array;
  /** Makes this instance what a snapshot of the same program says. `name`: the export that was under way. */
  restore(snapshot: Uint8Array, options?: { name?: string }): void;
  /** Gives its memory back now, not when it is collected. It is not to be used any more. */
  delete(): void;
}
