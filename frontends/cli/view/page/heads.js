// The heads of a state: what the next instruction asks for, the keys that are scored, and two pictures of it.
//
// A head at query q scores the key k by 2qk - k^2 = q^2 - (q - k)^2: a parabola whose top is at k = q. As a point, the
// key is (2k, -k^2); the query is the direction (q, 1), and the winner is where a line across it touches the envelope.

/** Every head the next instruction evaluates: {name, space, query, formula, winner, value, second, margin, near, keys, low, high}. */
function headsOf(run) {
  const code = run.instruction();
  if (!code) return [];
  const [op, aux, arg] = code, reads = run.data.ops[op] || ['', 0, 0, 0, 0], i = run.at;
  const local = aux === 1 ? arg : run.base[i] + arg;
  const lanes = {
    Ip: [run.ip[i], 'ip'], Sp: [run.sp[i], 'sp'], Depth: [run.depth[i], 'depth'],
    LocalAddress: [local, aux === 1 ? 'global' : 'base + arg'],
    MemoryAddress: [(run.stack[run.sp[i]] || 0) + arg, arg ? 'address + arg' : 'address'],
  };
  return run.data.heads
    .filter(([, , , , column, nth]) => column === 0 || reads[column] > nth)
    .map(([name, space, lane, offset]) => {
      const [value, word] = lanes[lane];
      return score(run, {name, space: SPACES[space], query: value + offset,
        formula: word + (offset > 0 ? ` + ${offset}` : offset < 0 ? ` - ${-offset}` : '')});
    });
}

const SPREAD = 60;  // keys of the whole space in the picture of the envelope

/** The keys nearest to the query on either side, some from the whole space, and how many there are. */
function keysNear(run, space, q, most) {
  const i = run.at;
  const range = (low, high) => {
    if (high < low) return {near: [], spread: [], count: 0, low: 0, high: 0};
    const middle = Math.max(low, Math.min(high, q));
    const near = [];
    for (let k = Math.max(low, middle - most); k <= Math.min(high, middle + most); ++k) near.push(k);
    const spread = Array.from({length: Math.min(SPREAD, high - low + 1)}, (_, n, all = Math.min(SPREAD, high - low + 1)) => low + Math.floor((n * (high - low + 1)) / all));
    return {near, spread, count: high - low + 1, low, high};
  };
  if (space === 'code') return range(0, run.data.code.length - 1);
  if (space === 'stack') return range(0, run.mostOperands[i]);  // slot 0 is what an empty stack reads
  if (space === 'call') return range(0, run.mostFrames[i]);
  const all = run.born[space].filter((entry) => entry[1] <= i);
  let low = 0, high = all.length;
  while (low < high) { const m = (low + high) >> 1; if (all[m][0] < q) low = m + 1; else high = m; }
  const near = all.slice(Math.max(0, low - most), low + most).map((entry) => entry[0]);
  const spread = all.filter((_, n) => n % Math.ceil(all.length / SPREAD) === 0).map((entry) => entry[0]);
  return {near, spread, count: all.length, low: all.length ? all[0][0] : 0, high: all.length ? all[all.length - 1][0] : 0};
}

function score(run, head) {
  const {near, spread, count, low, high} = keysNear(run, head.space, head.query, 32);
  const ranked = [...near].sort((a, b) => Math.abs(a - head.query) - Math.abs(b - head.query) || b - a);
  const winner = ranked.length ? ranked[0] : null, second = ranked.length > 1 ? ranked[1] : null;
  const away = (k) => (k - head.query) ** 2;
  return {...head, near, spread, keys: count, low, high, winner, second,
    score: winner === null ? null : head.query ** 2 - away(winner),
    margin: second === null ? null : away(second) - away(winner), found: found(run, head, winner)};
}

/** What the head reads, in words. */
function found(run, head, winner) {
  if (winner === null) return 'nothing: no key in this space';
  if (winner !== head.query) return '0: no key at the query';
  if (head.space === 'code') return run.data.code[winner] ? run.data.code[winner][4] : '?';
  if (head.space === 'stack') return String((run.stack[winner] || 0) | 0);
  if (head.space === 'locals') return String((run.locals.get(winner) || 0) | 0);
  if (head.space === 'memory') return '0x' + run.read(winner).toString(16).padStart(2, '0');
  const frame = run.frames[winner];
  return frame ? `return to ${frame[0]}, base ${frame[1]}` : '0';
}

const svg = (width, height, label, inner) =>
  `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${inner}</svg>`;
const line = (x1, y1, x2, y2, kind) => `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" class="${kind}"/>`;
const dot = (x, y, r, kind, title) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${r}" class="${kind}"><title>${title}</title></circle>`;
const words = (x, y, text, kind, anchor = 'middle') => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" class="${kind}" text-anchor="${anchor}">${text}</text>`;
const pathOf = (points) => points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

/** Scores of the keys around the query: the parabola, the winner, the margin. */
function drawScores(head) {
  const W = 360, H = 220, left = 16, right = W - 16, top = 34, bottom = H - 34;
  const far = head.second === null ? 3 : Math.abs(head.second - head.query);
  const span = Math.min(32, Math.max(4, far + 2, head.winner === null ? 0 : Math.abs(head.winner - head.query) + 2));
  const x = (k) => (left + right) / 2 + ((k - head.query) / (span + 0.5)) * (right - left) / 2;
  const y = (k) => top + ((k - head.query) ** 2 / (span + 0.5) ** 2) * (bottom - top);
  const curve = [];
  for (let t = -span - 0.5; t <= span + 0.5; t += span / 40) curve.push([x(head.query + t), y(head.query + t)]);
  let inner = line(left, bottom, right, bottom, 'axis') + `<path d="${pathOf(curve)}" class="curve"/>`;
  inner += line(x(head.query), top - 12, x(head.query), bottom, 'query') + words(x(head.query), top - 18, `q = ${head.query}`, 'query-text');
  const shown = head.near.filter((k) => Math.abs(k - head.query) <= span);
  const every = Math.max(1, Math.ceil(shown.length / 9));
  let free = -Infinity;  // where the next number may begin
  shown.forEach((k) => {
    const kind = k === head.winner ? 'winner' : k === head.second ? 'second' : 'key';
    inner += dot(x(k), y(k), k === head.winner ? 6 : 4, kind, `key ${k}: score ${2 * head.query * k - k * k}`);
    inner += line(x(k), bottom, x(k), bottom + 4, 'axis');
    const half = String(k).length * 3.6;
    if ((k - head.query) % every === 0 && x(k) - half > free) { inner += words(x(k), bottom + 17, k, 'tick'); free = x(k) + half + 5; }
  });
  if (head.margin !== null && Math.abs(head.second - head.query) <= span) {
    const edge = head.second > head.query ? left + 26 : right - 26, anchor = head.second > head.query ? 'start' : 'end';
    inner += line(edge, y(head.winner), edge, y(head.second), 'margin') + line(edge, y(head.second), x(head.second), y(head.second), 'margin-thin') +
      line(edge, y(head.winner), x(head.winner), y(head.winner), 'margin-thin') +
      words(edge + (anchor === 'start' ? 6 : -6), y(head.second) - y(head.winner) > 26 ? (y(head.winner) + y(head.second)) / 2 + 4 : y(head.second) + 15, `margin ${head.margin}`, 'margin-text', anchor);
  }
  return svg(W, H, `Scores: key ${head.winner} wins the query ${head.query}`, inner);
}

/** All keys as points of the plane, their envelope, and the line of the query that touches the winner. */
function drawEnvelope(head) {
  const W = 360, H = 220, left = 48, right = W - 48, top = 40, bottom = H - 36;
  if (head.winner === null) return '';
  let low = Math.min(head.low, head.query), high = Math.max(head.high, head.query);
  if (high - low < 6) { low -= 3; high += 3; }
  const middle = (low + high) / 2;
  // Sheared along the middle, so that the parabola stands upright: lines stay lines, what touches still touches.
  const X = (k) => left + ((k - low) / (high - low)) * (right - left);
  const h = (k) => (k - middle) ** 2, most = h(low) || 1;
  const Y = (k) => top + (h(k) / most) * (bottom - top);
  const curve = [];
  for (let n = 0; n <= 60; ++n) curve.push([X(low + ((high - low) * n) / 60), Y(low + ((high - low) * n) / 60)]);
  const points = [...new Set([head.low, ...head.spread, head.winner, head.high])].sort((a, b) => a - b);
  let inner = `<path d="${pathOf(points.map((k) => [X(k), Y(k)]))}Z" class="hull"/><path d="${pathOf(curve)}" class="curve faint"/>`;
  points.forEach((k) => { if (k !== head.winner) inner += dot(X(k), Y(k), 3, 'key', `key ${k}`); });
  // The line of equal score across the query's direction: slope 2 (q - middle) in these coordinates.
  const slope = (2 * (head.query - middle)) / most * (bottom - top) / ((right - left) / (high - low));
  const wx = X(head.winner), wy = Y(head.winner), reach = 90, length = Math.hypot(1, slope);
  inner += line(wx - reach / length, wy - (slope * reach) / length, wx + reach / length, wy + (slope * reach) / length, 'tangent');
  const nx = slope / length, ny = -1 / length;
  inner += `<path d="M${wx.toFixed(1)} ${wy.toFixed(1)}l${(nx * 26).toFixed(1)} ${(ny * 26).toFixed(1)}" class="arrow" marker-end="url(#tip)"/>`;
  inner += dot(wx, wy, 6, 'winner', `key ${head.winner} wins`);
  inner += words(left, bottom + 17, head.low, 'tick', 'start') + words(right, bottom + 17, head.high, 'tick', 'end');
  const defs = '<defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8Z" class="tip"/></marker></defs>';
  return svg(W, H, `Envelope of ${head.keys} keys; the query touches key ${head.winner}`, defs + inner);
}
