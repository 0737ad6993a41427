// The page of the playground. It holds no machine: worker.js does, and answers.

const $ = (id) => document.getElementById(id);
const kLineHeight = 18;
const grouped = (number) => Math.round(Number(number)).toLocaleString("en");

let breakpoints = new Set();
let name = "fib.wat", binary = null; // a dropped file that is no text
let line = 0, wrong = 0;
let began = false, ended = false, busy = false, chosen = 0, heads = [];

// ---- the worker

const worker = new Worker(URL.createObjectURL(new Blob([kWorker], { type: "text/javascript" })));
const waiting = new Map();
let next = 1;
const ask = (command, data = {}) =>
  new Promise((resolve, reject) => {
    waiting.set(next, { resolve, reject });
    worker.postMessage({ id: next++, command, ...data });
  });
worker.onmessage = ({ data }) => {
  if (data.event === "progress") return show(data, true);
  if (data.event === "race") return showSpeed(data);
  if (data.event === "host") {
    $("host").textContent = ($("host").textContent + data.text + "\n").slice(-4000);
    return;
  }
  const { resolve, reject } = waiting.get(data.id);
  waiting.delete(data.id);
  data.error ? reject(data.error) : resolve(data);
};
worker.onerror = (event) => fail({ message: event.message });

async function bytesOf(base64) {
  const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// ---- what is shown

function fail(error) {
  $("error").textContent = error.report || error.message;
  wrong = error.line ?? 0;
  drawGutter();
}

function clearError() {
  $("error").textContent = "";
  wrong = 0;
}

function drawGutter() {
  const count = binary ? 0 : $("text").value.split("\n").length;
  const gutter = $("gutter");
  while (gutter.children.length > count) gutter.lastChild.remove();
  while (gutter.children.length < count) {
    const row = document.createElement("div");
    row.textContent = gutter.children.length + 1;
    gutter.append(row);
  }
  [...gutter.children].forEach((row, i) => {
    row.className = [breakpoints.has(i + 1) && "break", line === i + 1 && "here", wrong === i + 1 && "wrong"].filter(Boolean).join(" ");
  });
  gutter.scrollTop = $("text").scrollTop;
}

function show(view, moving = false) {
  line = view.line;
  ended = view.ended;
  const speed = view.perSecond ? `, ${grouped(view.perSecond)} steps a second` : "";
  $("status").textContent = `${moving ? "Running" : ended ? "Ended" : "Stopped"} at instruction ${view.ip} after ${grouped(view.steps)} steps${speed}`;
  const outcome = view.outcome;
  $("results").className = outcome && outcome.stop !== "halted" && ended ? "bad" : "";
  $("results").textContent = !ended ? "" : outcome.stop === "halted" ? `result: ${outcome.results.join(" ") || "none"}` : outcome.message;
  $("stack").textContent = view.stack.join("  ") || "empty";
  $("frames").replaceChildren(
    ...view.frames.map((frame) => {
      const item = document.createElement("li");
      item.textContent = `${frame.function || "instruction"} ${frame.ip}${frame.line ? `, line ${frame.line}` : ""}`;
      return item;
    }),
  );
  drawGutter();
}

function drawHeads() {
  const body = $("heads").tBodies[0];
  body.replaceChildren(
    ...heads.map((head, i) => {
      const row = document.createElement("tr");
      row.className = i === chosen ? "chosen" : "";
      for (const text of [head.name, head.space, head.query, head.winner, head.margin]) {
        const cell = document.createElement("td");
        cell.textContent = text;
        row.append(cell);
      }
      row.onclick = () => {
        chosen = i;
        drawHeads();
      };
      return row;
    }),
  );
  drawParabola(heads[chosen]);
}

/** The scores 2qk - k² of the keys near the query's last digit: the winner is at the top. */
function drawParabola(head) {
  const canvas = $("parabola"), pen = canvas.getContext("2d");
  pen.clearRect(0, 0, canvas.width, canvas.height);
  if (!head) return;
  const kDigit = 16, span = 8;
  const q = Number(BigInt(head.query) % BigInt(kDigit)), won = Number(((BigInt(head.winner) % BigInt(kDigit)) + BigInt(kDigit)) % BigInt(kDigit));
  const score = (k) => 2 * q * k - k * k;
  const x = (k) => 20 + ((k - q + span) / (2 * span)) * (canvas.width - 40);
  const y = (k) => 20 + ((score(q) - score(k)) / (span * span)) * (canvas.height - 45);
  pen.strokeStyle = "#888";
  pen.beginPath();
  for (let k = q - span; k <= q + span; k += 0.25) pen.lineTo(x(k), y(k));
  pen.stroke();
  for (let k = Math.max(0, q - span); k <= Math.min(kDigit - 1, q + span); k++) {
    const wins = head.winner !== "-1" && k === won;
    pen.fillStyle = wins ? "#d60" : "#48a";
    pen.beginPath();
    pen.arc(x(k), y(k), wins ? 6 : 3, 0, 7);
    pen.fill();
  }
  pen.fillStyle = getComputedStyle(document.body).color;
  pen.font = "12px sans-serif";
  pen.fillText(`${head.name}: query ${head.query}, key ${head.winner} wins by ${head.margin}`, 10, canvas.height - 8);
}

function showSpeed(speed) {
  const body = $("speeds").tBodies[0];
  const row = body.insertRow();
  row.insertCell().textContent = speed.engine;
  row.insertCell().textContent = `${grouped(speed.perSecond)} steps/s`;
  row.insertCell().textContent = `${grouped(speed.steps)} steps${speed.ended ? "" : " so far"}`;
  const bar = document.createElement("span");
  bar.className = "bar";
  bar.style.width = `${Math.max(2, 22 * (Math.log10(speed.perSecond) - 2))}px`;
  row.insertCell().append(bar);
}

// ---- doing

const source = () => binary ?? $("text").value;

/** Loads the text, fills in what it exports, and places the call. */
async function reset() {
  began = false;
  line = 0;
  heads = [];
  drawHeads();
  $("host").textContent = "";
  const { exports } = await ask("load", { source: source(), name, engine: $("engine").value });
  const before = $("entry").value;
  $("entry").replaceChildren(...exports.map((item) => new Option(`${item.name} (${item.signature})`, item.name)));
  if (exports.some((item) => item.name === before)) $("entry").value = before;
  clearError();
  const view = await ask("begin", {
    name: $("entry").value || undefined, args: $("args").value, breakpoints: [...breakpoints], maxPages: 4096,
  });
  began = true;
  show(view);
}

async function after(view) {
  show(view);
  heads = view.ended ? [] : (await ask("heads")).heads;
  chosen = Math.min(chosen, Math.max(0, heads.length - 1));
  drawHeads();
}

/** Does one thing at a time; an error is shown under the text. */
async function act(what) {
  if (busy) return;
  busy = true;
  for (const id of ["run", "reset", "back", "step", "jump", "race"]) $(id).disabled = true;
  $("pause").disabled = false;
  try {
    await what();
  } catch (error) {
    fail(error);
    if (!began) $("status").textContent = "No program";
  } finally {
    busy = false;
    for (const id of ["run", "reset", "back", "step", "jump", "race"]) $(id).disabled = false;
    $("pause").disabled = true;
  }
}

const ready = async () => {
  if (!began) await reset();
};
$("run").onclick = () =>
  act(async () => {
    if (!began || ended) await reset();
    await after(await ask("go"));
  });
$("pause").onclick = () => worker.postMessage({ command: "pause" });
$("reset").onclick = () => act(async () => (await reset(), await after({ ...(await ask("forward", { steps: 0 })) })));
$("step").onclick = () => act(async () => (await ready(), await after(await ask("forward", { steps: 1 }))));
$("back").onclick = () => act(async () => (await ready(), await after(await ask("back", { steps: 1 }))));
$("jump").onclick = () =>
  act(async () => {
    await ready();
    if (!/^\d+$/.test($("to").value.trim())) throw { message: `'${$("to").value}' is no step` };
    await after(await ask("jump", { step: $("to").value.trim() }));
  });
$("race").onclick = () =>
  act(async () => {
    await reset();
    $("speeds").tBodies[0].replaceChildren();
    await ask("race", { source: source(), name, ms: 800 });
  });
$("link").onclick = () => {
  const kept = { text: $("text").value, name, entry: $("entry").value, args: $("args").value, engine: $("engine").value };
  const bytes = new TextEncoder().encode(JSON.stringify(kept));
  location.hash = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  navigator.clipboard?.writeText(location.href).catch(() => {});
  $("status").textContent = "The address of this page now holds program and arguments.";
};

let typing;
$("text").oninput = () => {
  began = false;
  line = 0;
  drawGutter();
  clearTimeout(typing);
  typing = setTimeout(async () => {
    if (busy) return;
    try {
      await ask("check", { source: $("text").value, name });
      clearError();
      drawGutter();
    } catch (error) {
      fail(error);
    }
  }, 250);
};
$("text").onscroll = () => ($("gutter").scrollTop = $("text").scrollTop);
for (const id of ["engine", "entry", "args"]) $(id).onchange = () => act(reset);
$("gutter").onclick = (event) => {
  const at = Math.floor((event.clientY - $("gutter").getBoundingClientRect().top + $("gutter").scrollTop - 4) / kLineHeight) + 1;
  const on = !breakpoints.has(at);
  on ? breakpoints.add(at) : breakpoints.delete(at);
  drawGutter();
  if (!busy) ask("breakpoint", { line: at, on }).catch(() => {});
};

function put({ text, name: called, entry, args, engine }) {
  name = called;
  binary = null;
  breakpoints = new Set();
  $("text").value = text;
  $("text").readOnly = false;
  $("args").value = args ?? "";
  if (engine) $("engine").value = engine;
  $("entry").replaceChildren(new Option(entry, entry));
  return act(reset);
}

$("example").append(...kExamples.map((example, i) => new Option(example.name, i)));
$("example").onchange = () => put(kExamples[$("example").value]);

document.ondragover = (event) => event.preventDefault();
document.ondrop = async (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) await open(file.name, new Uint8Array(await file.arrayBuffer()));
};

/** A file that was dropped. */
async function open(called, bytes) {
  if (bytes.length > 32 << 20) {
    fail({ message: `${called} has ${grouped(bytes.length)} bytes: the playground takes 32 MiB` });
    return;
  }
  const isText = /\.(wat|txa)$/.test(called);
  if (isText) return put({ text: new TextDecoder().decode(bytes), name: called, entry: "", args: "" });
  name = called;
  binary = bytes;
  breakpoints = new Set();
  $("text").value = `${called}: ${grouped(bytes.length)} bytes`;
  $("text").readOnly = true;
  $("args").value = "";
  await act(reset);
}

(async () => {
  try {
    const { version } = await ask("init", { wasm: await bytesOf(kWasm) });
    document.title = `txvm ${version} playground`;
    const hash = location.hash.slice(1);
    if (hash !== "") {
      const bytes = Uint8Array.from(atob(hash), (letter) => letter.charCodeAt(0));
      await put(JSON.parse(new TextDecoder().decode(bytes)));
    } else {
      await put(kExamples[0]);
    }
    document.body.dataset.ready = "yes";
  } catch (error) {
    fail(error);
  }
})();
