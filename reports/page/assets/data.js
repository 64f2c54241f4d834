// SPDX-License-Identifier: Apache-2.0
// Unpacks the page's data and defines code that several parts share. Text enters the page only by
// textContent.
'use strict';
const DATA = JSON.parse(document.getElementById('data').textContent);
const BAD = 'fractise', FAILURES = 'fract';  // IsBad and IsFailureMark of reports/nights
const WORDS = {p: 'pass', u: 'unsupported', n: 'nan_bits', f: 'fail', r: 'rejected', a: 'accepted', c: 'crash',
  t: 'timeout', i: 'inconclusive', s: 'suspect', e: 'error', x: 'flaky', l: 'not run', '.': ''};

// Expands "p3f" to "pppf".
function unpacked(marks) {
  const text = marks.replace(/([a-zA-Z.])(\d+)/g, (all, mark, count) => mark.repeat(+count));
  return text.padEnd(DATA.cases.length, '.');
}
for (const night of DATA.nights) {
  for (const engine of Object.values(night.engines)) {
    engine.marks = unpacked(engine.marks);
    if (night.pruned) [engine.kept, engine.marks] = [engine.marks, unpacked('')];  // kept for comparisons
  }
}
for (const engine of Object.keys(DATA.earlier)) DATA.earlier[engine] = unpacked(DATA.earlier[engine]);
// The parts of each address, which is split once.
const CASES = DATA.cases.map((address) => {
  const colon = address.indexOf(':');
  const name = colon < 0 ? address : address.slice(0, colon);
  const slash = name.indexOf('/');
  const type = /(?:^|[:,])(?:type|from)=([\w]+)/.exec(address);
  const second = colon < 0 ? -1 : address.indexOf(':', colon + 1);
  return {address, lower: address.toLowerCase(), operation: name, area: name.slice(0, slash),
    op: name.slice(slash + 1), type: type ? type[1] : '',
    name: second < 0 ? address : address.slice(0, second)};
});
const CASE_NUMBER = new Map(DATA.cases.map((address, i) => [address, i]));
// The nightly run that the reader chose, and the one it is compared with.
const view = {now: DATA.nights.length - 1, before: DATA.nights.length - 2};
const night = () => DATA.nights[view.now] || {engines: {}, findings: {}, problems: [], notes: []};
const isDefaultView = () => view.now === DATA.nights.length - 1 && view.before === view.now - 1;
const inOlder = (label) => (nightBefore() && label !== nightBefore().label ? ` in ${label}` : '');
const nightBefore = () => (DATA.nights[view.before] && !DATA.nights[view.before].pruned ? DATA.nights[view.before] : undefined);
const engineNames = () => Object.keys(night().engines);
const markOf = (of, engine, i) => (of && of.engines[engine] ? of.engines[engine].marks[i] : '.');
const isRun = (mark) => mark !== '.' && mark !== 'l';
const isBad = (mark) => BAD.includes(mark.toLowerCase());
const isFailure = (mark) => FAILURES.includes(mark.toLowerCase());
const isFailureWord = (word) => [...FAILURES].some((mark) => WORDS[mark] === word);
const isUnexpected = (mark) => mark !== mark.toLowerCase();
const wordOf = (mark) => WORDS[mark.toLowerCase()] || 'not run';
// Returns the words of two marks of a case, which differ if only the list of known failures has changed.
function wordsOf(before, now) {
  const word = (mark, other) => (mark === 'P' ? 'unexpected pass'
    : (isBad(mark) && mark !== other && mark === other.toLowerCase() ? 'known ' : '') + wordOf(mark));
  return [word(before, now), word(now, before)];
}
const classOf = (mark) => (isUnexpected(mark) || mark === 'l' ? 'bad'
  : isBad(mark) || mark === 'x' ? 'known' : mark === 'p' ? 'good' : 'un'.includes(mark) ? 'part' : 'none');

const RECORDS = new Map();  // [nightly run, engine, case] -> record of a failure
for (const one of DATA.failures) {
  RECORDS.set([one.night, one.engine, one.case].join('\n'), one);
}
const recordOf = (label, engine, i) => RECORDS.get([label, engine, i].join('\n'));

// Returns an element with attributes and children; strings become text.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
const button = (text, press, label) => make('button',
  {type: 'button', class: 'link', click: press, 'aria-label': label || null}, text);

// Returns a table of few rows, without the library. Cells are text or elements.
function smallTable(heads, rows, caption) {
  const head = make('tr', {}, ...heads.map((text) => make('th', {scope: 'col'}, text)));
  const body = rows.map((row) => make('tr', {}, ...row.map((cell) =>
    (cell instanceof HTMLTableCellElement ? cell : make('td', {}, cell)))));
  return make('table', {}, caption ? make('caption', {}, caption) : null,
    make('thead', {}, head), make('tbody', {}, ...body));
}
// Puts a table that may be wider than the screen into a region that scrolls.
const wide = (label, table) => make('div', {class: 'wide', tabindex: '0', role: 'region', 'aria-label': label}, table);
const cell = (text, kind) => make('td', {class: kind || null}, text);
const place = (selector, ...children) => document.querySelector(selector).replaceChildren(...children);
