// What to do with public packages, so that their modules compute something. Each is a function of
// `require`, by package; `text` and `data` are the same for all. See packages.py.
'use strict';
const fs = require('fs');
const path = require('path');

const text = 'It was the best of times, it was the worst of times. '.repeat(20);
const data = Uint8Array.from({length: 1500}, (_, i) => (i * i + 7 * i) & 255);

/** The files of a package whose names end in `ending`. */
function files(req, name, ending) {
  let folder = null;
  for (const root of req.resolve.paths(name)) {
    if (fs.existsSync(path.join(root, name))) folder = folder || path.join(root, name);
  }
  if (folder === null) throw new Error(name + ' is not installed');
  return fs.readdirSync(folder, {recursive: true})
      .filter(file => file.endsWith(ending))
      .map(file => path.join(folder, file));
}

const read = (req, name, ending) => fs.readFileSync(files(req, name, ending)[0]);
const load = (req, name, ending) => import(files(req, name, ending)[0]);

/** An instance whose imports answer 0, and every export called with small numbers. */
async function exercise(bytes, calls = 3) {
  const module = await WebAssembly.compile(bytes);
  const imports = {};
  for (const item of WebAssembly.Module.imports(module)) {
    const group = imports[item.module] = imports[item.module] || {};
    if (item.kind === 'function') group[item.name] = () => 0;
    if (item.kind === 'memory') group[item.name] = new WebAssembly.Memory({initial: 256, maximum: 32768});
    if (item.kind === 'table') group[item.name] = new WebAssembly.Table({initial: 4096, element: 'anyfunc'});
    if (item.kind === 'global') group[item.name] = 0;
  }
  const {exports} = await WebAssembly.instantiate(module, imports);
  for (const name of Object.keys(exports)) {
    if (typeof exports[name] !== 'function') continue;
    for (let i = 0; i < calls; ++i) {
      try {
        exports[name](...Array.from({length: exports[name].length}, (_, k) => 64 * i + 16 * k));
      } catch (error) {
        if (!(error instanceof TypeError)) return;  // a trap leaves the module as it is
      }
    }
  }
}

const exerciseAll = (name, ending = '.wasm') => async req => {
  for (const file of files(req, name, ending)) await exercise(fs.readFileSync(file));
};

const wasmFmt = (name, source, file = 'a.x') => async req => {
  const made = await load(req, name, 'node.js').catch(() => load(req, name, '.js'));
  if (made.default instanceof Function) await made.default(read(req, name, '.wasm'));
  (made.format || made.default.format)(source, file);
};

module.exports = {
  text, data, files,
  drivers: {
    'libsodium-wrappers': async req => {
      const sodium = req('libsodium-wrappers');
      await sodium.ready;
      sodium.crypto_generichash(32, text);
      const key = sodium.crypto_generichash(32, 'key'), nonce = new Uint8Array(24);
      const box = sodium.crypto_secretbox_easy(text, nonce, key);
      sodium.crypto_secretbox_open_easy(box, nonce, key);
      const pair = sodium.crypto_sign_seed_keypair(key);
      sodium.crypto_sign_verify_detached(sodium.crypto_sign_detached(text, pair.privateKey), text,
                                         pair.publicKey);
    },
    'hash-wasm': async req => {
      const all = req('hash-wasm');
      for (const name of ['adler32', 'blake2b', 'blake2s', 'blake3', 'crc32', 'crc64', 'keccak', 'md4',
                          'md5', 'ripemd160', 'sha1', 'sha224', 'sha256', 'sha3', 'sha384', 'sha512',
                          'sm3', 'whirlpool', 'xxhash32', 'xxhash64', 'xxhash3', 'xxhash128']) {
        await all[name](text);
      }
      const salt = new Uint8Array(16).fill(3);
      await all.pbkdf2({password: 'p', salt, iterations: 20, hashLength: 32, hashFunction: all.createSHA1()});
      await all.scrypt({password: 'p', salt, costFactor: 16, blockSize: 2, parallelism: 1, hashLength: 32});
      await all.bcrypt({password: 'p', salt, costFactor: 4});
      await all.argon2id({password: 'p', salt, parallelism: 1, iterations: 1, memorySize: 32, hashLength: 32});
    },
    'sql.js': async req => {
      const SQL = await req('sql.js')();
      const database = new SQL.Database();
      database.run('create table t(a integer, b text, c real)');
      for (let i = 0; i < 20; ++i) database.run('insert into t values(?, ?, ?)', [i, 'x' + i, i / 3]);
      database.exec('select b, sum(a * c) from t where a > 3 group by a % 4 order by 2');
    },
    'lz4-wasm-nodejs': async req => {
      const lz4 = req('lz4-wasm-nodejs');
      lz4.decompress(lz4.compress(Buffer.from(text)));
    },
    'vscode-oniguruma': async req => {
      const onig = req('vscode-oniguruma');
      await onig.loadWASM(read(req, 'vscode-oniguruma', '.wasm'));
      const scanner = onig.createOnigScanner(['w(or)st', '[aeiou]{2}', '\\btimes\\b']);
      for (let at = 0; at < 200; at += 17) scanner.findNextMatchSync(onig.createOnigString(text), at);
    },
    'node-unrar-js': async req => {
      const unrar = req('node-unrar-js');
      try {
        const made = await unrar.createExtractorFromData({data: data.buffer.slice(0, 400)});
        made.getFileList();
      } catch (error) {
      }
    },
    'tiktoken': async req => {
      const tiktoken = req('tiktoken');
      const {Tiktoken} = req('tiktoken/lite');
      const rank = req('tiktoken/encoders/r50k_base.json');
      const encoding = new Tiktoken(rank.bpe_ranks, rank.special_tokens, rank.pat_str);
      encoding.decode(encoding.encode(text.slice(0, 200)));
      void tiktoken;
    },
    '@dqbd/tiktoken': async req => {
      const {Tiktoken} = req('@dqbd/tiktoken/lite');
      const rank = req('@dqbd/tiktoken/encoders/r50k_base.json');
      new Tiktoken(rank.bpe_ranks, rank.special_tokens, rank.pat_str).encode(text.slice(0, 200));
    },
    'brotli-wasm': async req => {
      const brotli = await req('brotli-wasm');
      brotli.decompress(brotli.compress(Buffer.from(text)));
    },
    '@bitauth/libauth': async req => {
      const auth = await import(req.resolve('@bitauth/libauth'));
      for (const make of ['instantiateSha1', 'instantiateSha256', 'instantiateSha512', 'instantiateRipemd160']) {
        (await auth[make]()).hash(data);
      }
      const secp = await auth.instantiateSecp256k1();
      const key = data.slice(1, 33);
      secp.verifySignatureDER(secp.signMessageHashDER(key, data.slice(40, 72)),
                              secp.derivePublicKeyCompressed(key), data.slice(40, 72));
    },
    '@jitl/quickjs-wasmfile-release-sync': async req => {
      const core = await import(req.resolve('quickjs-emscripten-core'));
      const variant = await import(req.resolve('@jitl/quickjs-wasmfile-release-sync'));
      const quick = await core.newQuickJSWASMModuleFromVariant(variant.default.default || variant.default);
      quick.evalCode('[1, 2, 3].map(x => x ** 2 / 7).join()');
      quick.evalCode('let s = 0; for (let i = 0; i < 100; ++i) s += i; s');
    },
    'argon2-browser': exerciseAll('argon2-browser'),
    '@hpcc-js/wasm-graphviz': async req => {
      const {Graphviz} = await import(req.resolve('@hpcc-js/wasm-graphviz'));
      (await Graphviz.load()).dot('digraph { a -> b; b -> c; a -> c }');
    },
    '@node-rs/bcrypt-wasm32-wasi': exerciseAll('@node-rs/bcrypt-wasm32-wasi'),
    'lightningcss-wasm': async req => {
      const css = await load(req, 'lightningcss-wasm', 'wasm-node.mjs');
      css.transform({filename: 'a.css', code: Buffer.from('a { color: #ff0000; margin: 0 0 0 0 }'), minify: true});
    },
    '@wasm-fmt/clang-format': wasmFmt('@wasm-fmt/clang-format', 'int main(){return 1+2;}', 'a.c'),
    '@wasm-fmt/gofmt': wasmFmt('@wasm-fmt/gofmt', 'package a\nfunc  f( ) { }\n'),
    '@wasm-fmt/ruff_fmt': wasmFmt('@wasm-fmt/ruff_fmt', 'def f( a,b ):\n  return a+b\n', 'a.py'),
    '@wasm-fmt/shfmt': wasmFmt('@wasm-fmt/shfmt', 'if  true;then echo 1;fi\n', 'a.sh'),
    '@wasm-fmt/lua_fmt': wasmFmt('@wasm-fmt/lua_fmt', 'local  a=1 return a', 'a.lua'),
    '@wasm-fmt/sql_fmt': wasmFmt('@wasm-fmt/sql_fmt', 'select a,b from t where a>1', 'a.sql'),
    '@wasm-fmt/taplo_fmt': wasmFmt('@wasm-fmt/taplo_fmt', 'a  =  1', 'a.toml'),
    'tiny-secp256k1': async req => {
      const secp = await import(req.resolve('tiny-secp256k1'));
      const key = data.slice(1, 33), hash = data.slice(40, 72);
      secp.verify(hash, secp.pointFromScalar(key, true), secp.sign(hash, key));
    },
    '@bokuweb/zstd-wasm': async req => {
      const zstd = req('@bokuweb/zstd-wasm');
      await zstd.init();
      zstd.decompress(zstd.compress(Buffer.from(text), 3));
    },
    'zstd-codec': async req => new Promise(resolve => req('zstd-codec').ZstdCodec.run(zstd => {
      const simple = new zstd.Simple();
      simple.decompress(simple.compress(Buffer.from(text)));
      resolve();
    })),
    'snappy-wasm': exerciseAll('snappy-wasm'),
    'es-module-lexer': async req => {
      const lexer = req('es-module-lexer');
      await lexer.init;
      lexer.parse('import a from "a"; export const b = 1; import("c"); export { d } from "e";');
    },
    'cjs-module-lexer': async req => {
      const lexer = await load(req, 'cjs-module-lexer', 'lexer.mjs');
      await lexer.init();
      lexer.parse('exports.a = 1; module.exports = require("b"); exports["c"] = 2;');
    },
    'source-map': async req => {
      const {SourceMapConsumer} = req('source-map');
      const map = {version: 3, sources: ['a.js'], names: [], mappings: 'AAAA,CAAC,CAAC,CAAC;AACA,IAAI,GAAG,GAAG', file: 'b.js'};
      const consumer = await new SourceMapConsumer(map);
      consumer.originalPositionFor({line: 2, column: 3});
      consumer.eachMapping(() => 0);
    },
    'xxhash-wasm': async req => {
      const hash = await (req('xxhash-wasm').default || req('xxhash-wasm'))();
      hash.h32(text);
      hash.h64(text);
      hash.create64().update(text).digest();
    },
    'yoga-layout': async req => {
      const {loadYoga} = await import(req.resolve('yoga-layout/load'));
      const Yoga = await loadYoga();
      const root = Yoga.Node.create();
      root.setWidth(100);
      root.calculateLayout(100, 100);
    },
    'harfbuzzjs': exerciseAll('harfbuzzjs', 'hb.wasm'),
    'wawoff2': async req => {
      try {
        await req('wawoff2').compress(data);
      } catch (error) {
      }
    },
    'onigasm': async req => {
      const onig = req('onigasm');
      await onig.loadWASM(read(req, 'onigasm', '.wasm'));
      const scanner = new onig.OnigScanner(['w(or)st', '[aeiou]{2}']);
      for (let at = 0; at < 100; at += 9) scanner.findNextMatchSync(text, at);
    },
    're2-wasm': async req => {
      const {RE2} = req('re2-wasm');
      new RE2('(b.st) of (t\\w+)', 'u').exec(text);
    },
    'draco3d': exerciseAll('draco3d'),
    'meshoptimizer': async req => {
      const {MeshoptEncoder, MeshoptDecoder} = req('meshoptimizer');
      await MeshoptEncoder.ready;
      await MeshoptDecoder.ready;
      const coded = MeshoptEncoder.encodeVertexBuffer(data.slice(0, 1200), 100, 12);
      MeshoptDecoder.decodeVertexBuffer(new Uint8Array(1200), 100, 12, coded);
    },
    '@dimforge/rapier2d-compat': async req => {
      const rapier = req('@dimforge/rapier2d-compat');
      await rapier.init();
      const world = new rapier.World({x: 0, y: -9.81});
      const body = world.createRigidBody(rapier.RigidBodyDesc.dynamic().setTranslation(0, 1));
      world.createCollider(rapier.ColliderDesc.cuboid(0.5, 0.5), body);
      for (let i = 0; i < 5; ++i) world.step();
    },
    'box2d-wasm': exerciseAll('box2d-wasm'),
    'highs': async req => {
      const highs = await req('highs')();
      highs.solve('Maximize\n obj: x + 2 y\nSubject To\n c1: x + y <= 4\nBounds\n 0 <= x <= 3\n 0 <= y <= 2\nEnd');
    },
    'glpk.js': exerciseAll('glpk.js'),
    'mcl-wasm': async req => {
      const mcl = req('mcl-wasm');
      await mcl.init(mcl.BN254 || 0);
      const a = new mcl.Fr(), b = new mcl.Fr();
      a.setInt(7);
      b.setInt(11);
      mcl.mul(a, b).getStr();
    },
    'bls-wasm': async req => {
      const bls = req('bls-wasm');
      await bls.init(0);
      const secret = new bls.SecretKey();
      secret.setHashOf(data);
      secret.getPublicKey().verify(secret.sign(text.slice(0, 20)), text.slice(0, 20));
    },
    '@polkadot/wasm-crypto': async req => {
      const crypto = req('@polkadot/wasm-crypto');
      await crypto.waitReady();
      crypto.blake2b(data, new Uint8Array(0), 32);
      crypto.keccak256(data);
      crypto.ed25519KeypairFromSeed(data.slice(0, 32));
    },
    '@chainsafe/as-sha256': async req => {
      const sha = req('@chainsafe/as-sha256');
      sha.digest(data.slice(0, 500));
      sha.digest64(data.slice(0, 64));
    },
    '@foxglove/wasm-lz4': async req => {
      const lz4 = req('@foxglove/wasm-lz4');
      await lz4.isLoaded;
      try {
        lz4(data, 4000);
      } catch (error) {
      }
    },
    '@foxglove/wasm-bz2': exerciseAll('@foxglove/wasm-bz2'),
    '@foxglove/wasm-zstd': exerciseAll('@foxglove/wasm-zstd'),
    '@resvg/resvg-wasm': async req => {
      const resvg = req('@resvg/resvg-wasm');
      await resvg.initWasm(read(req, '@resvg/resvg-wasm', '.wasm'));
      new resvg.Resvg('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="4" height="5"/></svg>')
          .render();
    },
    'undici': async req => {
      const found = files(req, 'undici', 'llhttp-wasm.js')[0];
      const bytes = req(found);
      await exercise(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes, 'base64'));
    },
    '@dprint/json': exerciseAll('@dprint/json'),
    '@dprint/markdown': exerciseAll('@dprint/markdown'),
    '@dprint/toml': exerciseAll('@dprint/toml'),
    'argon2id': exerciseAll('argon2id'),
    'xz-decompress': exerciseAll('xz-decompress'),
    'libpg-query': async req => {
      const pg = req('libpg-query');
      if (pg.loadModule) await pg.loadModule();
      await pg.parse('select a, b from t where a > 3');
    },
    '@jsquash/png': exerciseAll('@jsquash/png'),
    '@jsquash/oxipng': exerciseAll('@jsquash/oxipng'),
    '@jsquash/webp': exerciseAll('@jsquash/webp'),
    '@jsquash/qoi': exerciseAll('@jsquash/qoi'),
    'jq-web': exerciseAll('jq-web'),
    'node-sqlite3-wasm': exerciseAll('node-sqlite3-wasm'),
  },
};

if (process.env.RECORD_PACKAGE) {
  const {createRequire} = require('module');
  const req = createRequire(path.join(process.env.RECORD_ROOT, 'package.json'));
  module.exports.drivers[process.env.RECORD_PACKAGE](req).then(
      () => process.exit(0), error => {
        console.error(String(error && error.stack || error).slice(0, 400));
        process.exit(1);
      });
}
