'use strict';
// The run as data, and the machine at any of its states.
//
// The object that txvm writes: title, engine, end (texts); first, open, total (steps); code: [op, aux, arg, line, text]
// or 0; functions: [name, first, last, params, locals, [types], [steps before, within, after]]; ops: reads by opcode;
// heads; source lines. The first state: stack, frames [return ip, base, ...], locals [[slot, words ...]], memory
// [[piece, base 64]] in pieces of 64 bytes. One entry a state: ip and sp as differences, writes 0 or
// [kind, address, value, ...]; calls [index, depth, base, ...] and pages [index, pages, ...] where they change.
//
// Walking forward applies the writes of a state and keeps what they replaced; walking back restores that.

const PIECE = 64;
const KINDS = {stack: 0, locals: 1, byte: 2, half: 3, word: 4};
const SPACES = ['code', 'stack', 'locals', 'memory', 'call'];

class Run {
  constructor(data) {
    this.data = data;
    this.count = data.ip.length;
    const sums = (column) => { let sum = 0; return Uint32Array.from(column, (d) => (sum += d)); };
    this.ip = sums(data.ip);
    this.sp = sums(data.sp);
    const spread = (list, width, field) => {
      const out = new Uint32Array(this.count);
      for (let i = 0; i < list.length; i += width) out.fill(list[i + field], list[i]);
      return out;
    };
    this.depth = spread(data.calls, 3, 1);
    this.base = spread(data.calls, 3, 2);
    this.pages = spread(data.pages, 2, 1);
    this.at = 0;
    this.stack = [0, ...data.stack];
    this.frames = [null];
    for (let i = 0; i < data.frames.length; i += 2) this.frames.push([data.frames[i], data.frames[i + 1]]);
    this.locals = new Map();
    for (const [first, ...words] of data.locals) words.forEach((word, i) => this.locals.set(first + i, word));
    this.memory = new Map();
    for (const [piece, text] of data.memory) {
      const bytes = new Uint8Array(PIECE);
      const raw = atob(text);
      for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
      this.memory.set(piece, bytes);
    }
    this.undo = new Array(this.count);
    this.learn();
  }

  // The first walk: what there is to undo, when each address was first written, and the calls.
  learn() {
    this.born = {locals: new Map(), memory: new Map()};
    for (const slot of this.locals.keys()) if (this.locals.get(slot) !== 0) this.born.locals.set(slot, 0);
    for (let g = 0; g < this.data.globals; ++g) this.born.locals.set(g, 0);
    for (const [piece, bytes] of this.memory) bytes.forEach((b, i) => { if (b) this.born.memory.set(piece * PIECE + i, 0); });
    this.mostOperands = new Uint32Array(this.count);
    this.mostFrames = new Uint32Array(this.count);
    this.calls = [];
    this.lineRuns = new Map();
    const open = [];
    const begin = (i, outer) => {
      const call = {f: this.functionAt(this.ip[i]), begin: i, end: this.count - 1, depth: open.length, args: [], children: [], outer};
      const f = this.data.functions[call.f];
      if (f && !outer) for (let a = Math.min(f[3], 4); a > 0; --a) call.args.push(this.stack[this.sp[i] - a + 1] | 0);
      (open.length ? open[open.length - 1].children : this.calls).push(call);
      open.push(call);
      this.deepest = Math.max(this.deepest || 0, open.length);
    };
    for (let d = 1; d <= this.depth[0]; ++d) {  // calls that the window begins inside of
      const call = {f: this.functionAt(this.frames[d][0] - 1), begin: 0, end: this.count - 1, depth: open.length, args: [], children: [], outer: true};
      (open.length ? open[open.length - 1].children : this.calls).push(call);
      open.push(call);
    }
    begin(0, this.depth[0] > 0 || this.data.first > 0);
    for (let i = 0; i < this.count; ++i) {
      if (i > 0) {
        this.forward(true);
        if (this.depth[i] > this.depth[i - 1]) begin(i, false);
        else if (this.depth[i] < this.depth[i - 1]) { const call = open.pop(); if (call) call.end = i - 1; }
      }
      this.mostOperands[i] = Math.max(this.sp[i], i ? this.mostOperands[i - 1] : 0);
      this.mostFrames[i] = Math.max(this.depth[i], i ? this.mostFrames[i - 1] : 0);
      const line = this.lineAt(this.ip[i]);
      if (line) this.lineRuns.set(line, (this.lineRuns.get(line) || 0) + 1);
    }
    const sorted = (map) => [...map].sort((a, b) => a[0] - b[0]);
    this.born = {locals: sorted(this.born.locals), memory: sorted(this.born.memory)};
    this.go(0);
  }

  read(address) { const p = this.memory.get(Math.floor(address / PIECE)); return p ? p[address % PIECE] : 0; }
  put(address, value) {
    const number = Math.floor(address / PIECE);
    let p = this.memory.get(number);
    if (!p) this.memory.set(number, p = new Uint8Array(PIECE));
    p[address % PIECE] = value;
  }
  old(kind, address) {
    if (kind === KINDS.stack) return this.stack[address] || 0;
    if (kind === KINDS.locals) return this.locals.get(address) || 0;
    let value = 0;
    for (let i = (1 << (kind - 2)) - 1; i >= 0; --i) value = value * 256 + this.read(address + i);
    return value;
  }
  write(kind, address, value) {
    if (kind === KINDS.stack) this.stack[address] = value;
    else if (kind === KINDS.locals) this.locals.set(address, value);
    else for (let i = 0; i < 1 << (kind - 2); ++i) { this.put(address + i, value & 255); value = Math.floor(value / 256); }
  }

  forward(learning) {
    const i = ++this.at;
    const writes = this.data.writes[i];
    const undo = learning ? [] : null;
    if (this.depth[i] > this.depth[i - 1]) {
      if (learning) undo.frame = this.frames[this.depth[i]];
      this.frames[this.depth[i]] = [this.ip[i - 1] + 1, this.base[i - 1]];
    }
    for (let w = 0; w < writes.length; w += 3) {
      const kind = writes[w], address = writes[w + 1];
      if (learning) {
        undo.push(kind, address, this.old(kind, address));
        if (kind === KINDS.locals) { if (!this.born.locals.has(address)) this.born.locals.set(address, i); }
        else if (kind >= KINDS.byte) for (let b = 0; b < 1 << (kind - 2); ++b) if (!this.born.memory.has(address + b)) this.born.memory.set(address + b, i);
      }
      this.write(kind, address, writes[w + 2]);
    }
    if (learning) this.undo[i] = undo;
  }
  back() {
    const i = this.at--;
    const undo = this.undo[i];
    for (let w = undo.length - 3; w >= 0; w -= 3) this.write(undo[w], undo[w + 1], undo[w + 2]);
    if (this.depth[i] > this.depth[i - 1]) this.frames[this.depth[i]] = undo.frame;
  }
  go(index) {
    index = Math.max(0, Math.min(this.count - 1, index));
    while (this.at < index) this.forward(false);
    while (this.at > index) this.back();
  }

  functionAt(ip) {
    const f = this.data.functions;
    let low = 0, high = f.length - 1;
    while (low < high) { const m = (low + high + 1) >> 1; if (f[m][1] <= ip) low = m; else high = m - 1; }
    return low;
  }
  lineAt(ip) { const c = this.data.code[ip]; return c ? c[3] : 0; }
  step() { return this.data.first + this.at; }
  instruction() { return this.data.code[this.ip[this.at]] || null; }
  functionName(f) { const found = this.data.functions[f]; return found ? found[0] : 'program'; }
  place(ip) {
    const f = this.functionAt(ip), row = this.data.functions[f], line = this.lineAt(ip);
    const name = row ? row[0] + (ip > row[1] ? '+' + (ip - row[1]) : '') : 'instruction ' + ip;
    return name + (line ? ` (line ${line})` : '');
  }

  // One line that two ways of reaching a state have to agree on.
  text() {
    const i = this.at, fold = (h, word) => Math.imul(h ^ word, 16777619) >>> 0;
    let locals = 2166136261, memory = 2166136261;
    for (const slot of [...this.locals.keys()].sort((a, b) => a - b)) {
      const word = this.locals.get(slot);
      if (word) locals = fold(fold(locals, slot), word);
    }
    for (const piece of [...this.memory.keys()].sort((a, b) => a - b)) {
      this.memory.get(piece).forEach((b, n) => { if (b) memory = fold(fold(memory, piece * PIECE + n), b); });
    }
    const frames = [];
    for (let d = 1; d <= this.depth[i]; ++d) frames.push(this.frames[d].join('/'));
    return `state ${this.step()}: ip ${this.ip[i]} sp ${this.sp[i]} depth ${this.depth[i]} base ${this.base[i]} pages ${this.pages[i]}` +
      ` stack ${this.stack.slice(1, this.sp[i] + 1).map((w) => w >>> 0).join(',')} frames ${frames.join(',')}` +
      ` locals ${locals} memory ${this.data.hidden ? 'hidden' : memory}`;
  }
}
