// SPDX-License-Identifier: Apache-2.0
// The page around the data of html_page(). Text goes into it by textContent alone.
#ifndef SHADERQA_REPLAY_HTML_TEMPLATE_H
#define SHADERQA_REPLAY_HTML_TEMPLATE_H

namespace shaderqa {

// The title and the data go between these.
constexpr const char* kHtmlBeforeTitle = R"html(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>)html";

constexpr const char* kHtmlBeforeData = R"html(</title><style>
:root { color-scheme: light dark; --line: #8884; --here: #ffd54a66; --soft: #8889; }
* { box-sizing: border-box; }
body { margin: 0; height: 100vh; display: grid; grid-template: auto auto auto 1fr / 1fr; font: 14px/1.4 system-ui, sans-serif; }
header { display: flex; gap: .5em; align-items: center; padding: .4em .8em; flex-wrap: wrap; }
header #place { flex: 1; font-family: ui-monospace, monospace; text-align: right; }
select, button { font: inherit; max-width: 60vw; }
#notes { padding: 0 .8em; color: #b45f06; white-space: pre-line; }
#timeline { width: 100%; height: 70px; display: block; cursor: pointer; border-block: 1px solid var(--line); }
main { display: grid; grid-template-columns: 1.2fr 1.2fr 1fr; min-height: 0; }
section { overflow: auto; border-left: 1px solid var(--line); min-width: 0; }
section h2 { position: sticky; top: 0; margin: 0; padding: .2em .6em; font-size: 13px; background: Canvas; border-bottom: 1px solid var(--line); }
.code div { display: grid; grid-template-columns: 4em 3.5em 1fr; white-space: pre; font: 13px/1.5 ui-monospace, monospace; cursor: pointer; }
.code.spirv div { grid-template-columns: 4em 1fr; }
.code div span:not(:last-child) { color: var(--soft); text-align: right; padding-right: .8em; }
.here { background: var(--here); }
table { border-collapse: collapse; width: 100%; font: 13px/1.5 ui-monospace, monospace; }
td { padding: 0 .6em; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td:first-child { white-space: nowrap; opacity: .7; }
tr.new td { background: var(--here); }
</style></head><body>
<header>
<select id="invocation" aria-label="Invocation"></select>
<button data-move="start" title="Home">|◀</button><button data-move="back" title="← or p: line before">◀ line</button>
<button data-move="before" title=", : instruction before">◀ instruction</button>
<button data-move="after" title=". : next instruction">instruction ▶</button>
<button data-move="line" title="→ or n: next line">line ▶</button><button data-move="end" title="End">▶|</button>
<span id="place"></span>
</header>
<div id="notes"></div>
<canvas id="timeline" title="Steps from left to right, calls from top to bottom. Click to go there."></canvas>
<main>
<section><h2 id="file">Source</h2><div id="source" class="code"></div></section>
<section><h2>SPIR-V</h2><div id="spirv" class="code spirv"></div></section>
<section><h2>Values</h2><table id="values"></table><h2>Calls</h2><table id="stack"></table></section>
</main>
<script type="application/json" id="data">)html";

constexpr const char* kHtmlAfterData = R"html(</script>
<script>
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const find = (id) => document.getElementById(id);
const text = (index) => data.texts[index];
// The fields of a step: instruction, file, line, depth, whether a line begins, result.
const INSTRUCTION = 0, FILE = 1, LINE = 2, DEPTH = 3, BEGINS = 4, RESULT = 5;
let trace = data.invocations[0], at = 0, shownFile = -1, shownShader = -1;

function element(name, ...texts) {
  const made = document.createElement(name);
  for (const each of texts) made.appendChild(document.createElement(name === 'tr' ? 'td' : 'span')).textContent = each;
  return made;
}
// What is known at a step is that of the last line that began.
function viewAt(step) {
  let low = 0, high = trace.views.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (trace.views[middle][0] <= step) low = middle; else high = middle - 1;
  }
  return low;
}
function go(step) {
  at = Math.max(0, Math.min(trace.steps.length - 1, step));
  show();
}
function seek(direction, wanted) {
  for (let i = at + direction; i >= 0 && i < trace.steps.length; i += direction) if (wanted(trace.steps[i])) return go(i);
  go(direction < 0 ? 0 : trace.steps.length - 1);
}
const moves = {
  start: () => go(0), end: () => go(trace.steps.length - 1), before: () => go(at - 1), after: () => go(at + 1),
  line: () => seek(1, (step) => step[BEGINS]), back: () => seek(-1, (step) => step[BEGINS]),
};
function goTo(event, wanted) {
  const here = at;
  seek(event.shiftKey ? -1 : 1, wanted);
  if (!wanted(trace.steps[at])) go(here);
}
function fillSource(file) {
  const lines = file >= 0 ? data.files[file].lines : {};
  const counts = {};
  for (const step of trace.steps) if (step[BEGINS] && step[FILE] === file) counts[step[LINE]] = (counts[step[LINE]] || 0) + 1;
  find('file').textContent = file >= 0 ? data.files[file].name : 'The shader has no source: compile it with -g';
  find('source').replaceChildren(...Object.keys(lines).map(Number).sort((a, b) => a - b).map((number) => {
    const row = element('div', number, counts[number] ? '×' + counts[number] : '', lines[number]);
    row.dataset.line = number;
    row.title = 'Click: the next time here. With Shift: the last time.';
    row.onclick = (event) => goTo(event, (step) => step[BEGINS] && step[FILE] === file && step[LINE] === number);
    return row;
  }));
}
function mark(list, row) {
  for (const old of list.querySelectorAll('.here')) old.classList.remove('here');
  if (!row) return;
  row.classList.add('here');
  row.scrollIntoView({block: 'nearest'});
}
function draw() {
  const canvas = find('timeline'), scale = window.devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * scale;
  canvas.height = canvas.clientHeight * scale;
  const context = canvas.getContext('2d'), count = trace.steps.length;
  const deepest = 1 + trace.steps.reduce((most, step) => Math.max(most, step[DEPTH]), 0);
  const row = canvas.height / deepest, width = canvas.width / count;
  trace.steps.forEach((step, i) => {
    context.fillStyle = `hsl(${(step[LINE] || step[INSTRUCTION]) * 47 % 360} 60% 55%)`;
    context.fillRect(i * width, step[DEPTH] * row, Math.max(1, width), row - 1);
  });
  context.fillStyle = '#d00';
  context.fillRect(at * width, 0, Math.max(2 * scale, width), canvas.height);
}
function show() {
  const step = trace.steps[at], number = viewAt(at), view = trace.views[number];
  if (trace.shader !== shownShader) {
    shownShader = trace.shader;
    find('spirv').replaceChildren(...data.shaders[trace.shader].map((line, i) => {
      const row = element('div', i + 1, line);
      row.onclick = (event) => goTo(event, (each) => each[INSTRUCTION] === i);
      return row;
    }));
  }
  if (step[FILE] >= 0 && step[FILE] !== shownFile) fillSource(shownFile = step[FILE]);
  mark(find('source'), find('source').querySelector(`[data-line="${step[LINE]}"]`));
  mark(find('spirv'), find('spirv').children[step[INSTRUCTION]]);
  const before = number > 0 ? new Map(trace.views[number - 1][2]) : new Map();
  const rows = view[2].map(([name, value]) => {
    const row = element('tr', text(name), text(value));
    if (before.get(name) !== value) row.className = 'new';
    return row;
  });
  if (step[RESULT] >= 0) rows.push(element('tr', 'this instruction', text(step[RESULT])));
  find('values').replaceChildren(...rows);
  find('stack').replaceChildren(...view[1].map(([name, line]) => element('tr', text(name), line ? 'line ' + line : '')));
  find('place').textContent = `step ${at} of ${trace.steps.length}`;
  draw();
}
function choose(number) {
  trace = data.invocations[number];
  shownFile = -1;
  shownShader = -1;
  at = 0;
  find('notes').textContent = [...data.notes, ...trace.notes].join('\n');
  fillSource(-1);
  show();
}
data.invocations.forEach((each, i) => find('invocation').add(new Option(each.title, i)));
find('invocation').onchange = (event) => choose(Number(event.target.value));
for (const button of document.querySelectorAll('[data-move]')) button.onclick = () => moves[button.dataset.move]();
find('timeline').onclick = (event) => go(Math.floor(event.offsetX / event.target.clientWidth * trace.steps.length));
const keys = {ArrowRight: 'line', n: 'line', ArrowLeft: 'back', p: 'back', '.': 'after', ',': 'before', Home: 'start', End: 'end'};
document.onkeydown = (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === 'SELECT' || !keys[event.key]) return;
  event.preventDefault();
  moves[keys[event.key]]();
};
window.onresize = draw;
choose(0);
</script></body></html>
)html";

}  // namespace shaderqa
#endif
