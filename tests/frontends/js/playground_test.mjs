// The playground in a headless Chromium, driven over its debugging pipe: examples run, steps go back, an endless program
// is stopped, a broken text shows its error, bad files give a sentence, and the console stays empty.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test from "node:test";
import { build, need } from "./support.mjs";

need("js/playground.html");
const browser = process.env.PATH.split(delimiter)
  .flatMap((folder) => ["chromium", "chromium-browser", "google-chrome"].map((name) => join(folder, name)))
  .find((path) => existsSync(path));
if (!browser) {
  console.log("skipped: there is no chromium on PATH");
  process.exit(77);
}

const kPatience = 60_000; // milliseconds

/** A page of a browser of its own. */
class Page {
  #next = 1;
  #waiting = new Map();
  errors = [];

  static async open(url) {
    const page = new Page();
    page.profile = mkdtempSync(join(tmpdir(), "txvm-page-"));
    page.child = spawn(
      browser,
      ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", `--user-data-dir=${page.profile}`, "--window-size=1200,800"],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
    );
    let rest = "";
    page.child.stdio[4].on("data", (chunk) => {
      const parts = (rest + chunk).split("\0");
      rest = parts.pop();
      for (const part of parts) page.#take(JSON.parse(part));
    });
    const { targetId } = await page.#send("Target.createTarget", { url: "about:blank" });
    page.session = (await page.#send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
    await page.#send("Runtime.enable");
    await page.#send("Page.enable");
    await page.#send("Page.navigate", { url });
    await page.until("document.body?.dataset.ready === 'yes'");
    return page;
  }

  #take(message) {
    if (message.method === "Runtime.exceptionThrown") this.errors.push(message.params.exceptionDetails.text);
    if (message.method === "Runtime.consoleAPICalled" && message.params.type === "error") {
      this.errors.push(message.params.args.map(({ value }) => value).join(" "));
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) waiting?.reject(new Error(message.error.message));
    else waiting?.resolve(message.result);
  }

  #send(method, params = {}) {
    return new Promise((resolve, reject) => {
      this.#waiting.set(this.#next, { resolve, reject });
      this.child.stdio[3].write(`${JSON.stringify({ id: this.#next++, sessionId: this.session, method, params })}\0`);
    });
  }

  async eval(expression) {
    const { result, exceptionDetails } = await this.#send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async until(expression) {
    const end = Date.now() + kPatience;
    while (Date.now() < end) {
      if (await this.eval(`Boolean(${expression})`)) return;
      await new Promise((resume) => setTimeout(resume, 30));
    }
    throw new Error(`${expression} does not come true: ${await this.text("status")}; ${await this.text("error")}`);
  }

  text(id) {
    return this.eval(`document.getElementById(${JSON.stringify(id)}).textContent`);
  }
  async click(id) {
    await this.eval(`document.getElementById(${JSON.stringify(id)}).click()`);
    await this.until("!busy");
  }
  async put(program) {
    await this.until("!busy");
    await this.eval(`put(${JSON.stringify(program)})`);
  }
  async picture(path) {
    writeFileSync(path, Buffer.from((await this.#send("Page.captureScreenshot")).data, "base64"));
  }

  close() {
    this.child.kill();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

test("the playground", async (t) => {
  const page = await Page.open(`file://${join(build, "js/playground.html")}`);
  try {
    await t.test("every example runs on its engine", async () => {
      const count = await page.eval("kExamples.length");
      for (let i = 0; i < count; i++) {
        for (const engine of ["attention", "native"]) {
          await page.eval(`put({ ...kExamples[${i}], engine: ${JSON.stringify(engine)} })`);
          await page.click("run");
          await page.until("ended");
          assert.equal(await page.text("error"), "");
          assert.match(await page.text("results"), /result|trap/);
        }
      }
    });

    await t.test("fib gives its result, and a step back the same state", async () => {
      await page.put({ text: await page.eval("kExamples[0].text"), name: "fib.wat", entry: "fib", args: "9", engine: "attention" });
      await page.click("run");
      assert.equal(await page.text("results"), "result: 34");
      await page.eval("$('to').value = '300'");
      await page.click("jump");
      const shown = () => page.eval("[$('status'), $('stack'), $('frames'), $('heads')].map((part) => part.textContent).join('|')");
      const state = await shown();
      assert.match(state, /after 300 steps/);
      assert.match(state, /Fetch/);
      for (let i = 0; i < 5; i++) await page.click("step");
      assert.match(await shown(), /after 305 steps/);
      for (let i = 0; i < 5; i++) await page.click("back");
      assert.equal(await shown(), state);
    });

    if (process.env.TXVM_PICTURE) await page.picture(process.env.TXVM_PICTURE);

    await t.test("a breakpoint stops the run there", async () => {
      await page.eval("breakpoints.add(9)");
      await page.click("run");
      assert.equal(await page.eval("line"), 9);
      assert.equal(await page.eval("ended"), false);
      await page.eval("breakpoints.clear()");
    });

    await t.test("an endless program is stopped, and the page stays smooth", async () => {
      const text = `(module (func (export "f") (loop (br 0))))`;
      await page.put({ text, name: "endless.wat", entry: "f", args: "", engine: "native" });
      await page.eval("$('run').click()");
      const frames = await page.eval(`new Promise((done) => {
        let count = 0; const begin = performance.now();
        const look = () => performance.now() - begin > 1000 ? done(count) : (count++, requestAnimationFrame(look));
        look();
      })`);
      assert.ok(frames >= 10, `${frames} frames in a second`);
      const begun = Date.now();
      await page.click("pause");
      assert.ok(Date.now() - begun < 5000);
      assert.match(await page.text("status"), /Stopped/);
    });

    await t.test("a broken text shows its error and line", async () => {
      await page.eval(`$('text').value = '(module\\n  (func (i32.ad)))'; $('text').dispatchEvent(new Event('input'))`);
      await page.until("$('error').textContent !== ''");
      assert.match(await page.text("error"), /:2:\d+: error/);
      assert.equal(await page.eval("document.querySelectorAll('#gutter .wrong').length"), 1);
    });

    await t.test("a race of the engines", async () => {
      await page.put({ text: await page.eval("kExamples[0].text"), name: "fib.wat", entry: "fib", args: "12" });
      await page.click("race");
      assert.equal(await page.eval("$('speeds').rows.length"), 4);
    });

    await t.test("bad files give a sentence, and the page lives on", async () => {
      for (const make of ["new Uint8Array(100)", "new Uint8Array(100 << 20)", "Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 9, 9)"]) {
        await page.eval(`open("bad.wasm", ${make})`);
        await page.until("$('error').textContent !== '' && !busy");
      }
      const start = `(module (func $s (loop (br 0))) (start $s) (func (export "f")))`;
      await page.put({ text: start, name: "start.wat", entry: "f", args: "", engine: "native" });
      assert.match(await page.text("error"), /fuel/);
      await page.put({ text: `(module (memory 65536) (func (export "f")))`, name: "large.wat", entry: "f", args: "" });
      assert.match(await page.text("error"), /page/);
      await page.put({ text: await page.eval("kExamples[0].text"), name: "fib.wat", entry: "fast", args: "10" });
      await page.click("run");
      assert.equal(await page.text("results"), "result: 55");
    });

    await t.test("a link holds program and arguments", async () => {
      await page.click("link");
      assert.ok((await page.eval("location.hash.length")) > 100);
    });

    assert.deepEqual(page.errors, []);
  } finally {
    page.close();
  }
});
