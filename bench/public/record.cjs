// node -r ./record.cjs script.js: writes what the script does with every WebAssembly instance into
// the folder RECORD_DIR, for replay.py: N.wasm and N.json.
//
// A record is a list of events, each of which begins with what the host wrote to memory before it:
//   call   an export: name, arguments, the host's calls inside, the result or the exception, and
//          the SHA-256 of the whole memory afterwards
//   host   an import, inside a call: name, arguments, the calls that it makes itself, the result
// A number is its 8 bytes as a double, in hexadecimal, so that nothing is rounded; an i64 is a text.
// A record ends where something happens that no embedding could repeat: a function is called
// through a table, or a limit is reached (RECORD_CALLS calls, 600 by default).
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');

const folder = process.env.RECORD_DIR || '.';
const mostCalls = Number(process.env.RECORD_CALLS || 600);
const mostEvents = 20 * mostCalls, block = 1024, mostMilliseconds = 20000;

const W = WebAssembly;
const own = {Module: W.Module, Instance: W.Instance, compile: W.compile, instantiate: W.instantiate};
const bytesOf = new WeakMap();
const records = [];
const started = Date.now();

function copy(source) {
  if (ArrayBuffer.isView(source)) {
    return Buffer.from(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
  }
  return Buffer.from(new Uint8Array(source));
}

function encode(value) {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return {l: value.toString()};
  if (typeof value === 'boolean' || typeof value === 'string') value = Number(value);
  if (typeof value !== 'number') return {o: typeof value};
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(value);
  return {d: bits.toString('hex')};
}

const hash = memory => crypto.createHash('sha256').update(memory).digest('hex');

/** What one instance was seen to do. */
class Record {
  constructor(bytes) {
    this.bytes = bytes;
    this.events = [];
    this.open = this.events;  // where the next event goes
    this.memory = null;
    this.shadow = null;  // memory as the replay has it
    this.calls = 0;
    this.count = 0;
    this.notes = [];
    this.ended = '';
    this.imports = {};
  }

  end(why) {
    if (this.ended === '') this.ended = why;
  }

  now() {
    return Buffer.from(this.memory.buffer);
  }

  /** The blocks that changed since the last time. */
  writes() {
    if (this.memory === null) return {};
    const memory = this.now(), changed = [];
    const known = this.shadow === null ? 0 : this.shadow.length;
    for (let at = 0; at < memory.length; at += block) {
      const part = memory.subarray(at, at + block);
      const same = at < known ? part.compare(this.shadow, at, at + block) === 0
                              : part.every(byte => byte === 0);
      if (!same) changed.push([at, part.toString('base64')]);
    }
    const event = {};
    if (changed.length !== 0) event.writes = changed;
    if (memory.length > known) event.pages = memory.length / 65536;
    this.shadow = Buffer.from(memory);
    return event;
  }

  sync() {
    if (this.memory !== null) this.shadow = Buffer.from(this.now());
  }

  full() {
    if (this.calls >= mostCalls || this.count >= mostEvents) this.end('enough calls');
    if (Date.now() - started > mostMilliseconds) this.end('enough time');
    return this.ended !== '';
  }

  call(name, length, target, args) {
    if (this.full()) return target(...args);
    ++this.calls;
    ++this.count;
    const given = args.slice(0, length);
    while (given.length < length) given.push(0);
    const event = {call: name, args: given.map(encode), ...this.writes()};
    this.open.push(event);
    const outer = this.open;
    this.open = event.host = [];
    try {
      const result = target(...args);
      event.result = encode(result);
      return result;
    } catch (error) {
      event.threw = String(error).slice(0, 80);
      throw error;
    } finally {
      this.open = outer;
      if (this.memory !== null) {
        this.sync();
        event.sha = hash(this.shadow);
      }
    }
  }

  host(module, name, target, args) {
    if (this.full() || this.open === this.events) return target(...args);
    ++this.count;
    const event = {module, name, args: args.map(encode)};
    this.open.push(event);
    this.sync();
    const outer = this.open;
    this.open = event.calls = [];
    try {
      const result = target(...args);
      event.result = encode(result);
      return result;
    } catch (error) {
      event.threw = String(error).slice(0, 80);
      throw error;
    } finally {
      this.open = outer;
      Object.assign(event, this.writes());
    }
  }
}

function instantiate(module, imports) {
  const record = new Record(bytesOf.get(module));
  records.push(record);
  const wrapped = {};
  for (const item of own.Module.imports(module)) {
    const value = ((imports || {})[item.module] || {})[item.name];
    const group = wrapped[item.module] = wrapped[item.module] || {};
    if (item.kind === 'function' && typeof value === 'function') {
      group[item.name] = (...args) => record.host(item.module, item.name, value, args);
      continue;
    }
    group[item.name] = value;
    const key = item.module + '.' + item.name;
    if (item.kind === 'memory') {
      record.memory = value;
      record.imports[key] = {memory: value.buffer.byteLength / 65536};
    } else if (item.kind === 'global') {
      record.imports[key] = {global: encode(value instanceof W.Global ? value.value : value)};
    } else {
      record.imports[key] = {[item.kind]: true};
    }
  }
  if (record.memory !== null) {
    record.before = record.writes();
    record.imported = true;
  }
  const instance = new own.Instance(module, wrapped);
  for (const item of own.Module.exports(module)) {
    if (item.kind === 'memory' && record.memory === null) record.memory = instance.exports[item.name];
  }
  record.sync();
  if (record.memory !== null) record.initial = hash(record.shadow);
  const exports = Object.create(null);
  for (const item of own.Module.exports(module)) {
    const value = instance.exports[item.name];
    exports[item.name] = value;
    if (item.kind === 'table') {
      const get = value.get.bind(value);
      value.get = index => {
        const target = get(index);
        return target && ((...args) => {
          record.end('a function is called through a table');
          return target(...args);
        });
      };
    }
    if (item.kind !== 'function') continue;
    const call = (...args) => record.call(item.name, value.length, value, args);
    Object.defineProperty(call, 'length', {value: value.length});
    Object.defineProperty(call, 'name', {value: value.name});
    exports[item.name] = call;
  }
  const made = Object.create(own.Instance.prototype);
  Object.defineProperty(made, 'exports', {value: exports});
  return made;
}

W.Module = new Proxy(own.Module, {
  construct(target, [source]) {
    const module = new target(source);
    bytesOf.set(module, copy(source));
    return module;
  }
});
W.Instance = new Proxy(own.Instance, {
  construct: (target, [module, imports]) => instantiate(module, imports)
});
W.compile = async source => {
  const bytes = copy(source);
  const module = await own.compile.call(W, bytes);
  bytesOf.set(module, bytes);
  return module;
};
W.instantiate = async (source, imports) => {
  if (source instanceof own.Module) return instantiate(source, imports);
  const module = await W.compile(source);
  return {module, instance: instantiate(module, imports)};
};
W.compileStreaming = W.instantiateStreaming = undefined;

process.on('exit', () => {
  fs.mkdirSync(folder, {recursive: true});
  records.forEach((record, index) => {
    if (record.bytes === undefined) return;
    const stem = path.join(folder, String(index).padStart(3, '0'));
    fs.writeFileSync(stem + '.wasm', record.bytes);
    const {events, imports, initial, before, ended} = record;
    fs.writeFileSync(stem + '.json', JSON.stringify({events, imports, initial, before, ended}));
  });
});
