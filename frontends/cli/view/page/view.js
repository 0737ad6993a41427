// The page: draws what the run says, and nothing else.

(() => {
  const errors = [];
  addEventListener('error', (event) => errors.push(event.message));
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($('run').textContent);
  const run = new Run(data);
  const last = run.count - 1;
  const options = new URLSearchParams(location.hash.slice(1));
  const html = (text) => String(text).replace(/[&<>"]/g, (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'}[c]));
  const grouped = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  const clamp = (n, low, high) => Math.max(low, Math.min(high, n));

  // Light and dark: the system's, until the reader chooses.
  const setTheme = (name) => { document.documentElement.dataset.theme = name; drawChart(); };
  const isDark = () => (document.documentElement.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  $('title').textContent = data.title;
  $('end').textContent = data.end.charAt(0).toUpperCase() + data.end.slice(1) +
    (data.cut ? '. The page ends early: host functions wrote more than it holds.' : '');
  $('file').textContent = (data.file ? data.file.split('/').pop() : '') + (data.file && !run.lineRuns.size ? ', of which the program knows no lines' : '');

  // --- time line: calls as boxes, outermost on top ---------------------------------------------
  const chart = $('chart');
  const flat = [];
  const flatten = (calls) => { for (const call of calls) { flat.push(call); flatten(call.children); } };
  flatten(run.calls);
  const hues = new Map();
  const hueOf = (f) => { if (!hues.has(f)) hues.set(f, (hues.size * 137 + 28) % 360); return hues.get(f); };
  flat.forEach((call) => hueOf(call.f));
  const rows = clamp(run.deepest || 1, 1, 12);

  function drawChart() {
    const box = $('timeline').getBoundingClientRect(), ratio = devicePixelRatio || 1;
    chart.width = Math.max(1, Math.round(box.width * ratio));
    chart.height = Math.max(1, Math.round(box.height * ratio));
    const g = chart.getContext('2d');
    g.scale(ratio, ratio);
    const height = box.height / rows, width = box.width / run.count;
    g.font = '600 11px system-ui, sans-serif';
    g.textBaseline = 'middle';
    const dark = isDark();
    for (const call of flat) {
      if (call.depth >= rows) continue;
      const x = call.begin * width, w = (call.end - call.begin + 1) * width;
      if (w < 0.2) continue;
      const hue = hueOf(call.f);
      g.fillStyle = dark ? `hsl(${hue} 30% ${33 - (call.depth % 2) * 5}%)` : `hsl(${hue} 52% ${86 - (call.depth % 2) * 5}%)`;
      g.fillRect(x, call.depth * height, Math.max(w - (w > 4 ? 1 : 0), 0.5), height - 1);
      if (w > 44 && height > 12) {
        g.save();
        g.beginPath(); g.rect(x, call.depth * height, w - 4, height); g.clip();
        g.fillStyle = dark ? '#f3eee6' : '#2a241c';
        g.fillText(callText(call), x + 6, call.depth * height + height / 2);
        g.restore();
      }
    }
  }
  const callText = (call) => run.functionName(call.f) + (call.args.length ? `(${call.args.join(', ')})` : '');
  $('timeline').style.height = clamp(rows * 22, 44, 200) + 'px';
  const tick = (i) => grouped(data.first + i);
  $('tick-first').textContent = 'step ' + tick(0);
  $('tick-middle').textContent = tick(last >> 1);
  $('tick-last').textContent = tick(last) + (data.total > data.first + last ? ` of ${grouped(data.total)}` : '');
  // Where the window lies in the run.
  $('whole').hidden = run.count > data.total;
  $('whole').firstElementChild.style.cssText = `left: ${((100 * data.first) / data.total).toFixed(3)}%; width: max(3px, ${((100 * run.count) / data.total).toFixed(3)}%)`;
  const line = $('timeline');
  line.setAttribute('aria-valuemin', data.first);
  line.setAttribute('aria-valuemax', data.first + last);
  const seek = (event) => {
    const box = line.getBoundingClientRect();
    show(clamp(Math.floor(((event.clientX - box.left) / box.width) * run.count), 0, last));
  };
  line.addEventListener('pointerdown', (event) => { pause(); line.setPointerCapture(event.pointerId); seek(event); });
  line.addEventListener('pointermove', (event) => { if (line.hasPointerCapture(event.pointerId)) seek(event); });

  // --- source ----------------------------------------------------------------------------------
  const heat = Math.max(1, ...run.lineRuns.values());
  $('source').innerHTML = data.source.length ? data.source.map((text, i) => {
    const runs = run.lineRuns.get(i + 1) || 0;
    const share = runs ? 0.12 + 0.88 * (Math.log1p(runs) / Math.log1p(heat)) : 0;
    return `<div class="line${runs ? ' ran' : ''}" role="listitem" data-line="${i + 1}" title="${runs ? grouped(runs) + ' steps in this window' : ''}">` +
      `<i style="opacity:${share.toFixed(2)}"></i><b>${i + 1}</b><span>${html(text) || ' '}</span></div>`;
  }).join('') : '<p class="none">The program names no source file that can be read.</p>';
  const nextAt = (test) => {
    for (let n = 1; n <= run.count; ++n) { const i = (run.at + n) % run.count; if (test(run.ip[i])) return i; }
    return run.at;
  };
  $('source').addEventListener('click', (event) => {
    const row = event.target.closest('.ran');
    if (row) { pause(); const wanted = Number(row.dataset.line); show(nextAt((ip) => run.lineAt(ip) === wanted)); }
  });

  // --- instructions ----------------------------------------------------------------------------
  let listed = [-1, -1];
  const ran = new Set(run.ip);
  function list(ip) {
    const row = data.functions[run.functionAt(ip)];
    const first = row ? row[1] : 0, end = row ? row[2] : data.code.length - 1;
    const from = end - first > 600 ? Math.max(first, ip - 200) : first, to = end - first > 600 ? Math.min(end, ip + 200) : end;
    const inside = listed[0] >= first && listed[1] <= end && ip >= listed[0] + (listed[0] > first ? 20 : 0) && ip <= listed[1] - (listed[1] < end ? 20 : 0);
    if (inside) return;
    listed = [from, to];
    let text = '';
    for (let at = from; at <= to; ++at) {
      const code = data.code[at];
      text += `<div class="line${ran.has(at) ? ' ran' : ''}" role="listitem" data-ip="${at}"><b>${at}</b><span>${code ? html(code[4]) : '?'}</span></div>`;
    }
    $('listing').innerHTML = text;
  }
  $('listing').addEventListener('click', (event) => {
    const row = event.target.closest('.ran');
    if (row) { pause(); const wanted = Number(row.dataset.ip); show(nextAt((ip) => ip === wanted)); }
  });

  function mark(box, selector) {
    box.querySelectorAll('.current').forEach((row) => { row.classList.remove('current'); row.removeAttribute('aria-current'); });
    const row = box.querySelector(selector);
    if (!row) return;
    row.classList.add('current');
    row.setAttribute('aria-current', 'step');
    const top = row.offsetTop, view = box.clientHeight;
    if (top < box.scrollTop + 24 || top > box.scrollTop + view - 48) box.scrollTop = top - view / 2.6;
  }

  // Code that was made for an entry or a call has no line: the next one of its function that has is marked softly.
  function markSource(ip) {
    const f = data.functions[run.functionAt(ip)], end = f ? f[2] : ip;
    let at = ip;
    while (at < end && !run.lineAt(at)) ++at;
    mark($('source'), `[data-line="${run.lineAt(at)}"]`);
    $('source').querySelectorAll('.near').forEach((row) => row.classList.remove('near'));
    if (at !== ip) $('source').querySelectorAll('.current').forEach((row) => { row.classList.replace('current', 'near'); row.removeAttribute('aria-current'); });
  }

  // --- values ----------------------------------------------------------------------------------
  const bits = new DataView(new ArrayBuffer(8));
  const typed = (type, low, high) => {
    bits.setUint32(0, low, true); bits.setUint32(4, high >>> 0, true);
    if (type === 'i64') return String(bits.getBigInt64(0, true));
    if (type === 'f32') return String(Number(bits.getFloat32(0, true).toPrecision(9)));
    if (type === 'f64') return String(bits.getFloat64(0, true));
    return String(low | 0);
  };
  const row = (name, value, note, changed) =>
    `<div class="row${changed ? ' changed' : ''}"><span>${name}</span><b>${value}</b><i>${note}</i></div>`;
  const hex = (word) => ((word >>> 0) > 9 ? '0x' + (word >>> 0).toString(16) : '');
  function changedNow() {
    const changed = {0: new Set(), 1: new Set(), bytes: new Set()}, writes = data.writes[run.at];
    for (let w = 0; w < writes.length; w += 3) {
      if (writes[w] < 2) changed[writes[w]].add(writes[w + 1]);
      else for (let b = 0; b < 1 << (writes[w] - 2); ++b) changed.bytes.add(writes[w + 1] + b);
    }
    return changed;
  }
  function drawValues(changed) {
    const i = run.at, sp = run.sp[i], most = 24;
    let text = '';
    for (let slot = sp; slot > Math.max(0, sp - most); --slot) {
      const word = run.stack[slot];
      text += row(slot === sp ? `${slot} top` : slot, word | 0, hex(word), changed[0].has(slot));
    }
    $('stack').innerHTML = text + (sp > most ? `<p class="none">${grouped(sp - most)} deeper</p>` : '') || '<p class="none">empty</p>';
    $('depth').textContent = sp ? grouped(sp) : '';
    const f = data.functions[run.functionAt(run.ip[i])], base = run.base[i];
    text = '';
    let at = 0, n = 0;
    const word = (slot) => (run.locals.get(slot) || 0) >>> 0;
    if (f) {
      for (const type of f[5]) {
        const wide = type === 'i64' || type === 'f64';
        text += row(at < f[3] ? `${n++} <em>param</em>` : n++, typed(type, word(base + at), wide ? word(base + at + 1) : 0), type,
          changed[1].has(base + at) || (wide && changed[1].has(base + at + 1)));
        at += wide ? 2 : 1;
      }
      for (; at < f[4] && n < 64; ++at) text += row(at < f[3] ? `${n++} <em>param</em>` : n++, word(base + at) | 0, hex(word(base + at)), changed[1].has(base + at));
    }
    $('locals').innerHTML = text || '<p class="none">none</p>';
    text = '';
    for (let g = 0; g < Math.min(data.globals, 24); ++g) text += row(g, word(g) | 0, hex(word(g)), changed[1].has(g));
    $('globals').innerHTML = text;
    $('h-globals').hidden = $('globals').hidden = data.globals === 0;
  }

  // --- memory ----------------------------------------------------------------------------------
  let focus = -1;
  const loads = {46: 4, 48: 1, 49: 1, 50: 2, 51: 2};
  function drawMemory(changed) {
    const i = run.at, size = run.pages[i] * 65536, code = run.instruction();
    $('pages').textContent = size ? `${grouped(size)} bytes` : 'none';
    document.querySelector('.memory').hidden = !size;
    document.querySelector('.grid').classList.toggle('bare', !size);
    if (!size) return;
    const reads = new Set();
    if (code && loads[code[0]]) {
      const address = (run.stack[run.sp[i]] >>> 0) + code[2];
      for (let b = 0; b < loads[code[0]]; ++b) reads.add(address + b);
    }
    const wanted = $('address').value.trim();
    const per = innerWidth < 560 ? 8 : 16, shown = 8;
    let focusNow = [...reads][0] ?? [...changed.bytes][0];
    if (wanted && Number.isFinite(Number(wanted))) focusNow = Number(wanted);
    else if (focusNow === undefined) focusNow = focus < 0 ? (run.born.memory.length ? run.born.memory[0][0] : 0) : focus;
    const begin = focus >= 0 && !wanted ? Math.floor(focus / per) * per : 0;
    if (wanted || focus < 0 || focusNow < begin || focusNow >= begin + per * shown) focus = clamp(Math.floor(focusNow / per) * per - (wanted ? 0 : per), 0, Math.max(0, size - per * shown));
    focus = Math.floor(focus / per) * per;
    let text = '';
    for (let at = focus; at < Math.min(size, focus + per * shown); at += per) {
      let cells = '', letters = '';
      for (let b = at; b < at + per; ++b) {
        const value = run.read(b), kind = changed.bytes.has(b) ? 'changed' : reads.has(b) ? 'reads' : value ? '' : 'zero';
        cells += `<span class="${kind}">${value.toString(16).padStart(2, '0')}</span>`;
        letters += value >= 32 && value < 127 ? html(String.fromCharCode(value)) : '<u>.</u>';
      }
      text += `<div class="bytes"><b>${at.toString(16).padStart(6, '0')}</b><div>${cells}</div><code>${letters}</code></div>`;
    }
    $('memory').innerHTML = text + (data.hidden ? '<p class="none">Bytes that this window does not touch are left out where there are many; they show as 00.</p>' : '');
  }
  $('address').addEventListener('input', () => drawMemory(changedNow()));

  // --- heads -----------------------------------------------------------------------------------
  let chosen = options.get('head') || 'Fetch';
  function drawHeads() {
    const heads = headsOf(run);
    if (!heads.length) { $('tabs').innerHTML = ''; $('head').innerHTML = '<p class="none">The run ends here.</p>'; return; }
    const head = heads.find((h) => h.name === chosen) || heads[0];
    $('tabs').innerHTML = heads.map((h) => `<button type="button" role="tab" id="tab-${h.name}" aria-selected="${h === head}" aria-controls="head" tabindex="${h === head ? 0 : -1}" data-head="${h.name}">${h.name}<small>${h.query}</small></button>`).join('');
    $('head').setAttribute('aria-labelledby', 'tab-' + head.name);
    const fact = (name, value) => `<div><dt>${name}</dt><dd>${value}</dd></div>`;
    $('head').innerHTML = '<dl>' + fact('query', `${head.query} <small>${head.formula}</small>`) + fact('winner', head.winner ?? 'none') +
      fact('score', head.score === null ? '-' : grouped(head.score)) + fact('margin', head.margin === null ? 'no other key' : grouped(head.margin)) +
      fact('reads', html(head.found)) + '</dl><div class="plots"><figure>' + drawScores(head) +
      `<figcaption>score 2qk - k&sup2; of the ${grouped(head.keys)} ${head.space} key${head.keys === 1 ? '' : 's'}, near the query</figcaption></figure><figure>` +
      drawEnvelope(head) + '<figcaption>every key ever written is on the envelope; the query touches the winner</figcaption></figure></div>';
  }
  const choose = (name) => { chosen = name; drawHeads(); $('tab-' + name).focus(); };
  $('tabs').addEventListener('click', (event) => { const tab = event.target.closest('button'); if (tab) choose(tab.dataset.head); });
  $('tabs').addEventListener('keydown', (event) => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!step) return;
    event.stopPropagation(); event.preventDefault();
    const tabs = [...$('tabs').children], at = tabs.indexOf(document.activeElement);
    choose(tabs[(at + step + tabs.length) % tabs.length].dataset.head);
  });

  // --- calls -----------------------------------------------------------------------------------
  const SHOWN = 60;
  const callHtml = (calls, from) => calls.slice(from, from + SHOWN).map((call) => {
    const label = `<button type="button" class="call" data-begin="${call.begin}" style="--hue:${hueOf(call.f)}">${html(callText(call))}</button><small>${call.outer ? 'before' : tick(call.begin)} to ${tick(call.end)}</small>`;
    const number = flat.indexOf(call);
    return call.children.length ? `<li><details data-call="${number}"><summary>${label}</summary></details></li>` : `<li class="leaf" data-call="${number}">${label}</li>`;
  }).join('') + (calls.length > from + SHOWN ? `<li class="leaf"><button type="button" class="more" data-from="${from + SHOWN}">${grouped(calls.length - from - SHOWN)} more</button></li>` : '');
  const fill = (details) => {
    if (details.querySelector('ul')) return;
    const list = document.createElement('ul');
    list.calls = flat[Number(details.dataset.call)].children;
    list.innerHTML = callHtml(list.calls, 0);
    details.append(list);
  };
  const tree = document.createElement('ul');
  tree.calls = run.calls;
  tree.innerHTML = callHtml(run.calls, 0);
  $('calls').append(tree);
  $('calls').addEventListener('toggle', (event) => { if (event.target.open) fill(event.target); }, true);
  $('calls').addEventListener('click', (event) => {
    const call = event.target.closest('.call'), more = event.target.closest('.more');
    if (call) { event.preventDefault(); pause(); show(Number(call.dataset.begin)); }
    if (more) { const list = more.closest('ul'); more.parentElement.remove(); list.insertAdjacentHTML('beforeend', callHtml(list.calls, Number(more.dataset.from))); }
  });
  for (let open = tree, n = 0; n < 4; ++n) {  // the first levels, open
    const details = open.querySelector('details');
    if (!details) break;
    fill(details); details.open = true; open = details.querySelector('ul');
  }
  function markCalls() {
    $('calls').querySelectorAll('[data-call]').forEach((item) => {
      const call = flat[Number(item.dataset.call)];
      item.classList.toggle('active', call.begin <= run.at && run.at <= call.end);
    });
  }

  // --- layers ----------------------------------------------------------------------------------
  const layers = data.layers ? new Layers(data.layers, $('layers'), html, colour) : null;
  document.querySelector('.layers').hidden = !layers;
  function drawLayers() {
    if (!layers) return;
    const passes = layers.show(run.step() + 1);
    $('passes').textContent = passes === null ? `of steps 1 to ${data.layers.steps.length}` :
      passes > 1 ? `pass ${passes} of ${passes} of the next step` : 'of the pass that makes the next step';
  }

  // --- summary ---------------------------------------------------------------------------------
  const sums = data.functions.map((f) => [f[0], ...f[6], f[6][0] + f[6][1] + f[6][2]]).filter((f) => f[4]).sort((a, b) => b[4] - a[4]);
  const all = sums.reduce((sum, f) => sum + f[4], 0) || 1;
  $('summary').innerHTML = '<table><thead><tr><th scope="col">function</th><th scope="col">before</th><th scope="col">here</th><th scope="col">after</th><th scope="col">share</th></tr></thead><tbody>' +
    sums.slice(0, 40).map((f) => `<tr><th scope="row">${html(f[0])}</th><td>${grouped(f[1])}</td><td>${grouped(f[2])}</td><td>${grouped(f[3])}</td><td><meter min="0" max="1" value="${(f[4] / all).toFixed(4)}">${Math.round((100 * f[4]) / all)} %</meter> ${((100 * f[4]) / all).toFixed(1)} %</td></tr>`).join('') + '</tbody></table>';

  // --- moving ----------------------------------------------------------------------------------
  function show(index) {
    run.go(index);
    const i = run.at, ip = run.ip[i], code = run.instruction(), changed = changedNow();
    $('cursor').style.left = (((i + 0.5) / run.count) * 100).toFixed(3) + '%';
    const what = code ? code[4] : 'outside the program';
    $('now').innerHTML = `<b>${grouped(run.step())}</b><code>${html(what)}</code><span>${html(run.place(ip))}</span>` +
      (i === last ? `<em>${html(data.total === data.first + last ? data.end : 'the page ends here')}</em>` : '');
    line.setAttribute('aria-valuenow', run.step());
    line.setAttribute('aria-valuetext', `step ${run.step()}: ${what}, ${run.place(ip)}`);
    if (document.activeElement !== $('number')) $('number').value = run.step();
    $('function').textContent = run.functionName(run.functionAt(ip));
    list(ip);
    mark($('listing'), `[data-ip="${ip}"]`);
    markSource(ip);
    drawValues(changed); drawMemory(changed); drawHeads(); drawLayers(); markCalls();
    $('home').disabled = $('back').disabled = i === 0;
    $('finish').disabled = $('forward').disabled = i === last;
  }
  let playing = 0, due = 0;
  function pause() { playing = 0; $('play').innerHTML = '&#9654;'; $('play').setAttribute('aria-pressed', 'false'); $('play').setAttribute('aria-label', 'Play'); }
  function play() {
    if (run.at === last) show(0);
    playing = performance.now(); due = 0;
    $('play').innerHTML = '&#10074;&#10074;'; $('play').setAttribute('aria-pressed', 'true'); $('play').setAttribute('aria-label', 'Pause');
    requestAnimationFrame(frame);
  }
  function frame(now) {
    if (!playing) return;
    due += ((now - playing) / 1000) * Number($('speed').value);
    playing = now;
    if (due >= 1) { const steps = Math.floor(due); due -= steps; show(run.at + steps); }
    if (run.at === last) pause(); else requestAnimationFrame(frame);
  }
  const move = (by) => { pause(); show(run.at + by); };
  const actions = {home: () => move(-run.count), back: () => move(-1), forward: () => move(1), finish: () => move(run.count), play: () => (playing ? pause() : play())};
  for (const [id, action] of Object.entries(actions)) $(id).addEventListener('click', action);
  $('number').min = data.first; $('number').max = data.first + last;
  $('number').addEventListener('change', (event) => { pause(); show(clamp(Number(event.target.value) - data.first, 0, last)); });
  const switchTheme = () => setTheme(isDark() ? 'light' : 'dark');
  $('theme').addEventListener('click', switchTheme);
  addEventListener('keydown', (event) => {
    if (event.target.matches('input, select') || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = event.shiftKey ? 10 : 1;
    const key = {ArrowLeft: () => move(-by), ArrowRight: () => move(by), Home: actions.home, End: actions.finish, t: switchTheme}[event.key];
    if (key) { event.preventDefault(); key(); }
    else if (event.key === ' ' && !event.target.matches('button, summary')) { event.preventDefault(); actions.play(); }
  });
  addEventListener('resize', () => { drawChart(); show(run.at); });

  if (options.get('theme')) document.documentElement.dataset.theme = options.get('theme');
  drawChart();
  show(clamp(Number(options.get('step') ?? data.open) - data.first, 0, last));

  // --- self-test: #selftest, or #selftest=3,17 for the text of those states ----------------------
  if (options.has('selftest')) {
    const every = Math.max(1, Math.floor(run.count / 100)), texts = [], wrong = [];
    run.go(0);
    for (let i = 0; i < run.count; ++i) { run.go(i); if (i % every === 0) texts[i] = run.text(); }
    for (let i = last; i >= 0; --i) { run.go(i); if (texts[i] && run.text() !== texts[i]) wrong.push(`back to ${run.step()}`); }
    for (let n = 0, i = 1; n < 50; ++n) {
      i = (i * 48271 + n) % run.count;
      const to = Math.floor(i / every) * every;
      run.go(to);
      if (run.text() !== texts[to]) wrong.push(`jump to ${run.step()}`);
    }
    for (const i of [0, 1, last >> 1, last]) show(i);
    const states = options.get('selftest').split(',').filter(Boolean).map((step) => { run.go(Number(step) - data.first); return run.text(); });
    const heads = states.length ? headsOf(run).map((h) => `head ${h.name} query ${h.query} winner ${h.winner}`) : [];
    const bad = [...errors, ...wrong];
    $('selftest').hidden = false;
    $('selftest').textContent = [`selftest ${bad.length ? 'failed: ' + bad.slice(0, 5).join('; ') : 'passed'}: ${run.count} states, forward and back`, ...states, ...heads].join('\n');
  }
})();
