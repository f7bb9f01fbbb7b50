// SPDX-License-Identifier: Apache-2.0
// Walks through a trace with the client that Microsoft publishes for tests of debug adapters:
//   npm install @vscode/debugadapter-testsupport
//   NODE_PATH=node_modules node dap_client.js SHADERQA TRACE
// TRACE is that of invocation 5 of tests/replay/fixtures/blocks.spvasm.
'use strict';
const assert = require('assert');
const {DebugClient} = require('@vscode/debugadapter-testsupport');

const [shaderqa, trace] = process.argv.slice(2);

async function top(dc) {
  const stack = await dc.stackTraceRequest({threadId: 1});
  return stack.body.stackFrames[0];
}

// Names and values of a scope.
async function scope(dc, frameId, name) {
  const {body} = await dc.scopesRequest({frameId});
  const found = body.scopes.find((each) => each.name === name);
  return (await dc.variablesRequest({variablesReference: found.variablesReference})).body.variables;
}

function value(variables, name) {
  const found = variables.find((each) => each.name === name);
  assert(found, name + ' is missing in ' + JSON.stringify(variables));
  return found.value;
}

async function move(dc, request, reason) {
  const stopped = dc.waitForEvent('stopped');
  await request;
  assert.strictEqual((await stopped).body.reason, reason);
}

async function main() {
  // The client starts a file with an interpreter. Here it is a command with arguments.
  const dc = new DebugClient('sh', '', 'shaderqa', {shell: false});
  dc._runtime = shaderqa;
  const cp = require('child_process');
  const spawn = cp.spawn;
  cp.spawn = (runtime, _, options) => spawn(runtime, ['replay', '--dap'], options);
  await dc.start();
  cp.spawn = spawn;

  await Promise.all([
    dc.waitForEvent('initialized').then(() => dc.configurationDoneRequest()),
    dc.launch({trace}),
    dc.waitForEvent('stopped'),
  ]);
  const threads = (await dc.threadsRequest()).body.threads;
  assert.strictEqual(threads.length, 1);
  assert.match(threads[0].name, /compute:GlobalInvocationID=5,0,0/);

  let frame = await top(dc);
  assert.strictEqual(frame.name, 'main');
  assert.strictEqual(frame.line, 10);
  const source = await dc.sourceRequest({source: frame.source, sourceReference: frame.source.sourceReference || 0});
  assert.match(source.body.content, /uint twice\(uint x\)/);

  const set = await dc.setBreakpointsRequest({source: frame.source, breakpoints: [{line: 6}, {line: 22}]});
  assert.deepStrictEqual(set.body.breakpoints.map((each) => [each.verified, each.line]), [[true, 6], [true, 22]]);
  await move(dc, dc.continueRequest({threadId: 1}), 'breakpoint');
  await move(dc, dc.continueRequest({threadId: 1}), 'breakpoint');
  const stack = (await dc.stackTraceRequest({threadId: 1})).body.stackFrames;
  assert.deepStrictEqual(stack.map((each) => [each.name, each.line]), [['twice', 6], ['main', 18]]);
  assert.strictEqual(value(await scope(dc, stack[0].id, 'Locals'), 'x'), '2');
  const outer = await scope(dc, stack[1].id, 'Locals');
  assert.strictEqual(value(outer, 'i'), '6');
  assert.strictEqual(value(outer, 'sum'), '1');
  const p = outer.find((each) => each.name === 'p');
  const members = (await dc.variablesRequest({variablesReference: p.variablesReference})).body.variables;
  assert.deepStrictEqual(members.slice(0, 2).map((each) => [each.name, each.value]),
                         [['position', '(5, 1, 2)'], ['mass', '3']]);
  assert.strictEqual(members[0].evaluateName, 'p.position');
  const evaluated = await dc.evaluateRequest({expression: 'p.position.y', frameId: stack[1].id, context: 'hover'});
  assert.strictEqual(evaluated.body.result, '1');
  await assert.rejects(dc.evaluateRequest({expression: 'nobody', frameId: stack[1].id}), /nothing is called nobody/);

  await move(dc, dc.stepOutRequest({threadId: 1}), 'step');
  assert.strictEqual((await top(dc)).name, 'main');
  // Over the call, in which there is a breakpoint.
  await move(dc, dc.stepBackRequest({threadId: 1}), 'breakpoint');
  await move(dc, dc.reverseContinueRequest({threadId: 1}), 'breakpoint');
  await move(dc, dc.reverseContinueRequest({threadId: 1}), 'pause');
  assert.strictEqual((await top(dc)).line, 10);
  for (let i = 0; i < 4; ++i) await move(dc, dc.continueRequest({threadId: 1}), 'breakpoint');
  frame = await top(dc);
  assert.strictEqual(frame.line, 22);
  assert.strictEqual(value(await scope(dc, frame.id, 'Locals'), 'i'), '5');
  await dc.stop();  // which disconnects
  console.log('ok');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
