// SPDX-License-Identifier: Apache-2.0
// The page around the data of report_page(). Text goes into it by textContent alone.
#ifndef SHADERQA_TOOLS_REPORT_TEMPLATE_H
#define SHADERQA_TOOLS_REPORT_TEMPLATE_H

namespace shaderqa {

// The title and the data go between these.
constexpr const char* kReportBeforeTitle = R"html(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>)html";

constexpr const char* kReportBeforeData = R"html(</title><style>
:root { color-scheme: light dark; --line: #8884; --soft: #808080; --this: #ffd54a66; --other: #6ab7ff55; --bad: #d32f2f; --good: #2e7d32; }
* { box-sizing: border-box; }
body { margin: 0; height: 100vh; display: grid; grid-template: auto 1fr / minmax(16em, 24em) 1fr; font: 14px/1.45 system-ui, sans-serif; }
header { grid-column: 1 / 3; display: flex; gap: 1.2em; align-items: baseline; flex-wrap: wrap; padding: .5em 1em; border-bottom: 1px solid var(--line); }
header h1 { font-size: 16px; margin: 0; }
nav, main { overflow: auto; min-height: 0; }
nav { border-right: 1px solid var(--line); padding: .5em; }
nav h2 { font-size: 13px; margin: 1em 0 .2em; overflow-wrap: anywhere; }
nav button { display: block; width: 100%; text-align: left; font: inherit; border: 1px solid transparent; border-radius: 4px; background: none; color: inherit; padding: .3em .5em; cursor: pointer; overflow-wrap: anywhere; }
nav button:hover { border-color: var(--line); }
nav button.here { background: var(--this); }
nav small, .soft { color: var(--soft); }
main { padding: 0 1em 2em; }
h2 { font-size: 15px; margin: 1.2em 0 .4em; overflow-wrap: anywhere; }
pre, .code, .box { font: 13px/1.5 ui-monospace, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
table { border-collapse: collapse; }
td, th { text-align: left; vertical-align: top; padding: .15em .8em .15em 0; border-bottom: 1px solid var(--line); font-weight: normal; }
th { white-space: nowrap; color: var(--soft); }
.bad { color: var(--bad); font-weight: 600; }
.good { color: var(--good); font-weight: 600; }
#strip { display: flex; gap: 6px; align-items: stretch; overflow-x: auto; padding: 4px 0 8px; }
.box { flex: none; max-width: 13em; border: 1px solid var(--line); border-radius: 4px; padding: .3em .5em; overflow-wrap: anywhere; }
.box b { display: block; font: 600 11px/1.3 system-ui, sans-serif; color: var(--soft); }
.box.barrier { border-style: none solid; border-width: 3px; border-radius: 0; font-size: 12px; }
.box.missing { border: 2px dashed var(--bad); max-width: none; white-space: pre; font-size: 11px; }
.box.missing b { color: var(--bad); }
.box.gap { border: none; padding: .3em 0; }
.this, .both { background: var(--this); }
.other { background: var(--other); }
#panes { display: grid; grid-template-columns: 1fr 1fr; gap: 1em; height: 26em; }
#panes section { display: flex; flex-direction: column; min-width: 0; min-height: 0; border: 1px solid var(--line); }
#panes h3 { font-size: 13px; margin: 0; padding: .2em .6em; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.code { overflow: auto; flex: 1; }
.code div { display: grid; grid-template-columns: 4em 1fr; white-space: pre; cursor: default; }
.code div span:first-child { color: var(--soft); text-align: right; padding-right: .8em; }
.bar { position: relative; height: 22px; border: 1px solid var(--line); margin: .1em 0 .5em; }
.bar button { position: absolute; top: 0; bottom: 0; padding: 0; border: none; background: var(--bad); opacity: .45; cursor: pointer; }
.bar button.here { opacity: 1; outline: 2px solid var(--this); z-index: 1; }
@media (max-width: 60em) { body { display: block; height: auto; } #panes { grid-template-columns: 1fr; height: 50em; } nav { border: none; } }
</style></head><body>
<header><h1>shaderqa</h1><span id="total"></span><span id="state"></span><a href="#runs">What was checked</a></header>
<nav><label>Findings by <select id="order"><option value="">bug</option><option value="shader_name">shader</option>
<option value="pipeline">pipeline</option><option value="buffer">buffer</option></select></label><div id="list"></div></nav>
<main>
<div id="bug"><h2 id="headline"></h2>
<div id="strip" role="list" aria-label="Actions and barriers in the order of recording"></div>
<div id="panes">
<section><h3 id="file"></h3><div id="source" class="code"></div></section>
<section><h3 id="spirv_title"></h3><div id="spirv" class="code"></div></section>
</div>
<h2>The finding</h2><pre id="block"></pre>
<table id="facts"></table></div>
<h2>Addresses of hazards, by buffer</h2><div id="maps"></div>
<h2 id="runs">What was checked</h2><div id="checked"></div>
</main>
<script type="application/json" id="data">)html";

constexpr const char* kReportAfterData = R"html(</script>
<script>
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const find = (id) => document.getElementById(id);
let at = 0;

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}
function counted(count, one, several) { return `${count.toLocaleString('en')} ${count === 1 ? one : several}`; }
function group(key) {
  const groups = new Map();
  data.bugs.forEach((bug, i) => {
    const name = key ? bug[key] || 'none that is known' : bug.kind;
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(i);
  });
  return [...groups].sort(([a], [b]) => key ? a.localeCompare(b) : 0);
}
function fillList() {
  const list = [];
  for (const [name, bugs] of group(find('order').value)) {
    list.push(element('h2', name));
    for (const i of bugs) {
      const button = element('button', data.bugs[i].headline);
      button.append(' ', element('small', counted(data.bugs[i].occurrences, 'time', 'times')));
      button.dataset.bug = i;
      button.onclick = () => show(i);
      list.push(button);
    }
  }
  if (!data.bugs.length) list.push(element('p', 'No bug was found.'));
  find('list').replaceChildren(...list);
  mark();
}
function mark() {
  for (const button of document.querySelectorAll('[data-bug]')) button.classList.toggle('here', Number(button.dataset.bug) === at);
}
const titles = {missing: 'missing', barrier: 'barrier', action: ''};
const sides = {this: 'this access', other: 'the other access', both: 'both accesses'};
function fillStrip(bug) {
  find('strip').replaceChildren(...bug.strip.map((each) => {
    const box = element('div', undefined, `box ${each.what} ${each.side}`);
    box.setAttribute('role', 'listitem');
    const title = sides[each.side] || titles[each.what];
    if (title) box.append(element('b', title));
    box.append(each.text.trimEnd());
    return box;
  }));
  const strip = find('strip'), middle = strip.querySelector('.missing') || strip.querySelector('.this');
  strip.hidden = !bug.strip.length;
  if (middle) strip.scrollLeft = middle.offsetLeft - strip.offsetLeft - (strip.clientWidth - middle.clientWidth) / 2;
}
function row(number, text, className) {
  const made = element('div', undefined, className);
  made.append(element('span', number), element('span', text));
  return made;
}
// The whole file where the shader is at hand, else the lines that findings name.
function fillSource(bug, file) {
  const shader = data.shaders[bug.shader], whole = shader && shader.files[file];
  const lines = whole && Object.keys(whole).length ? whole : data.lines[file] || {};
  const side = (number) => ['source', 'other'].filter((key) => bug[key] && bug[key].file === file && bug[key].line === number);
  const rows = Object.keys(lines).map(Number).sort((a, b) => a - b).map((number) => {
    const own = side(number);
    const made = row(number, lines[number], own.length ? own[0] === 'source' ? 'this' : 'other' : '');
    made.dataset.line = number;
    made.onclick = () => markCode(bug, file, number);
    return made;
  });
  find('source').replaceChildren(...rows);
  const places = ['source', 'other'].map((key) => bug[key]).filter((each) => each && each.file);
  const others = [...new Set(places.map((each) => each.file))].filter((each) => each !== file);
  const title = [file || 'The shader has no source: compile it with -g'];
  for (const name of others) {
    const button = element('button', name);
    button.onclick = () => fillSource(bug, name);
    title.push(' ', button);
  }
  if (!whole && file) title.push(element('small', ' (lines that findings name; --shaders gives all)', 'soft'));
  find('file').replaceChildren(...title);
  scroll(find('source'), find('source').querySelector('.this, .other'));
}
function scroll(pane, row) {
  if (row) pane.scrollTop = row.offsetTop - pane.offsetTop - pane.clientHeight / 2;
}
function markCode(bug, file, line) {
  const shader = data.shaders[bug.shader];
  if (!shader) return;
  const number = shader.names.indexOf(file);
  let first;
  shader.code.forEach(([word, from, at], i) => {
    const row = find('spirv').children[i], here = from === number && at === line;
    row.className = word === bug.word ? 'this' : here ? 'other' : '';
    if (here && !first) first = row;
  });
  scroll(find('spirv'), first);
}
function fillCode(bug) {
  const shader = data.shaders[bug.shader];
  find('spirv_title').textContent = shader ? `SPIR-V of ${bug.shader_name}` :
    bug.shader ? `The SPIR-V of ${bug.shader_name} is not on this page: run with --dump-dir DIR, and give --shaders DIR here` :
    'A command accesses the memory, no shader';
  find('spirv').replaceChildren(...(shader ? shader.code : []).map(([word, file, line, text]) => {
    const made = row(word, text, word === bug.word ? 'this' : '');
    if (line) made.title = `${shader.names[file]}:${line}`;
    return made;
  }));
  scroll(find('spirv'), find('spirv').querySelector('.this'));
}
function fillFacts(bug) {
  const rows = [['found', counted(bug.occurrences, 'time', 'times')], ['in', bug.processes.join('; ')], ['on', bug.devices.join('; ')],
    ['pipeline', bug.pipeline], ['buffer', bug.buffer], ['fingerprint', bug.fingerprint]];
  find('facts').replaceChildren(...rows.filter(([, text]) => text).map(([name, text]) => {
    const made = element('tr');
    made.append(element('th', name), element('td', text));
    return made;
  }));
}
function show(number) {
  at = number;
  const bug = data.bugs[at];
  find('bug').hidden = !bug;
  if (!bug) return;
  find('headline').textContent = `${bug.kind}: ${bug.headline}`;
  fillStrip(bug);
  const place = bug.source && bug.source.file ? bug.source : bug.other;
  fillSource(bug, place ? place.file : '');
  fillCode(bug);
  find('block').textContent = bug.block;
  fillFacts(bug);
  mark();
}
function fillMaps() {
  const maps = data.buffers.flatMap((buffer) => {
    const bar = element('div', undefined, 'bar');
    for (const [offset, size, bug] of buffer.marks) {
      const mark = element('button');
      mark.style.left = `${100 * offset / buffer.size}%`;
      mark.style.width = `max(3px, ${100 * size / buffer.size}%)`;
      mark.title = `offset ${offset}, ${counted(size, 'byte', 'bytes')}: ${data.bugs[bug].headline}`;
      mark.setAttribute('aria-label', mark.title);
      mark.dataset.bug = bug;
      mark.onclick = () => show(bug);
      bar.append(mark);
    }
    const title = element('div', `${buffer.name}, ${counted(buffer.size, 'byte', 'bytes')} `);
    title.append(element('span', buffer.process, 'soft'));
    return [title, bar];
  });
  find('maps').replaceChildren(...(maps.length ? maps : [element('p', 'No hazard has an address in a buffer.', 'soft')]));
}
function fillRuns() {
  find('checked').replaceChildren(...data.runs.map((run) => {
    const made = element('div');
    const title = element('h3', `${run.programs.join(', ') || 'no program'}${run.host ? ' on ' + run.host : ''} `);
    title.append(element('span', run.complete ? 'completely checked' : 'not completely checked', run.complete ? 'good' : 'bad'));
    made.append(title);
    if (run.devices.length) made.append(element('div', run.devices.join('; ')));
    made.append(element('pre', run.text));
    if (run.version) made.append(element('small', `shaderqa ${run.version}`, 'soft'));
    return made;
  }), ...data.notes.map((note) => element('p', note, 'soft')));
}
const occurrences = data.bugs.reduce((sum, bug) => sum + bug.occurrences, 0), complete = data.runs.length && data.runs.every((run) => run.complete);
find('total').textContent = `${counted(data.bugs.length, 'bug', 'bugs')}, ${counted(occurrences, 'occurrence', 'occurrences')}, ${counted(data.runs.length, 'run', 'runs')}`;
find('state').textContent = complete ? 'completely checked' : 'NOT COMPLETELY CHECKED';
find('state').className = complete ? 'good' : 'bad';
find('order').onchange = fillList;
document.onkeydown = (event) => {
  const step = {j: 1, k: -1}[event.key];
  if (!step || event.ctrlKey || event.altKey || event.metaKey || !data.bugs.length) return;
  show((at + step + data.bugs.length) % data.bugs.length);
};
fillMaps();
fillRuns();
fillList();
show(0);
</script></body></html>
)html";

}  // namespace shaderqa
#endif
