// Drives `txvm dap` with the public client of the protocol's authors, @vscode/debugadapter-testsupport.
// client.js TXVM PROJECT; NODE_PATH says where the client is. Ends with 0, also where it is not installed.
const path = require('path');
const assert = require('assert');
const [txvm, project] = process.argv.slice(2);
let DebugClient;
try {
  ({ DebugClient } = require('@vscode/debugadapter-testsupport'));
} catch {
  console.log('skipped: @vscode/debugadapter-testsupport is not in NODE_PATH (npm install it)');
  process.exit(0);
}

async function main() {
  const client = new DebugClient(txvm, 'dap', 'txvm', { cwd: project });
  // Its program is `node FILE`: here the program is txvm and the file its command.
  await client.start();
  const program = path.join(project, 'examples/fib.wat');
  await client.hitBreakpoint({ program, invoke: 'fib', args: ['6'], stopOnEntry: false }, { path: program, line: 9 });
  const { body } = await client.stackTraceRequest({ threadId: 1 });
  assert.strictEqual(body.stackFrames[0].line, 9);
  const scopes = await client.scopesRequest({ frameId: body.stackFrames[0].id });
  const locals = await client.variablesRequest({ variablesReference: scopes.body.scopes[0].variablesReference });
  assert.deepStrictEqual(locals.body.variables.map((v) => `${v.name} = ${v.value}`), ['local 0 = 6']);
  await Promise.all([client.stepBackRequest({ threadId: 1 }), client.assertStoppedLocation('step', { line: 5 })]);
  await Promise.all([client.continueRequest({ threadId: 1 }), client.assertStoppedLocation('breakpoint', { line: 9 })]);
  await client.setBreakpointsRequest({ source: { path: program }, breakpoints: [] });
  await Promise.all([client.continueRequest({ threadId: 1 }), client.assertOutput('stdout', '8'),
    client.waitForEvent('terminated')]);
  await client.stop();
  console.log('the public client agrees');
}
main().catch((error) => {
  console.error(error);
  process.exit(1);
});
