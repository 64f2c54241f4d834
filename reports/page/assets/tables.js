// SPDX-License-Identifier: Apache-2.0
// Builds the tables of the page. Long ones are DataTables, which render only visible rows.
'use strict';
const KINDS = ['pass', 'fail', 'nan_bits', 'unsupported', 'rejected', 'accepted', 'crash', 'timeout',
  'inconclusive', 'error', 'flaky', 'not run'];
// Results that need no explanation.
const QUIET = ['pass', 'nan_bits', 'unsupported'];

const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
// Renders a cell of a DataTable as text, which is sorted by its data.
const plain = (data, kind) => (kind === 'display' ? escaped(data) : data);
const column = (title, more) => ({title: escaped(title), render: plain, type: 'string', ...more});

function longTable(where, columns, rows, options) {
  const table = make('table', {class: 'long'});
  place(where, table);
  $(table).on('draw.dt', () => settle(table));
  return $(table).DataTable({data: rows, columns, deferRender: true, autoWidth: false,
    lengthChange: false, pageLength: 25, order: [], dom: 'tip', ...options});
}
// Fixes the library's tables for keyboards and screen readers.
function settle(table) {
  for (const head of table.querySelectorAll('th')) head.setAttribute('scope', 'col');
  const wrapper = table.parentElement;
  for (const link of wrapper.querySelectorAll('.paginate_button')) {
    link.setAttribute('role', 'button');
    link.setAttribute('tabindex', link.classList.contains('disabled') ? '-1' : '0');
  }
}

const searchable = () => ({dom: 'ftip', language: {search: 'Words: '}});
const named = (input, label) => document.querySelector(input).setAttribute('aria-label', label);

// Returns, for each family of releases, the first bad one and the first good one after the last bad.
function spansOf(asked, marks) {
  const families = new Map();
  for (const engine of asked) {
    const family = engine.split('@')[0];
    const span = families.get(family) || {bad: '', good: ''};
    families.set(family, span);
    if (isFailure(marks[engine])) {
      span.bad = span.bad || engine;
      span.good = '';
    } else if (marks[engine] === 'p' && span.bad && !span.good) span.good = engine;
  }
  return [...families.values()].filter((span) => span.bad);
}

const FINDING_WORDS = {p: 'correct', f: 'wrong', '.': 'not replayed'};
const findingWord = (mark) => FINDING_WORDS[mark] || wordOf(mark);
// Shows a row per finding and a column per release. Engines in this nightly run and the findings that
// they still have come first.
function showFindings() {
  const releases = DATA.releases.filter((engine) =>
    DATA.nights.some((one) => Object.values(one.findings).some((marks) => marks[engine])));
  const ran = releases.filter((engine) => night().engines[engine]);
  const columns = [...ran, ...releases.filter((engine) => !ran.includes(engine))];
  if (!releases.length) {
    return place('#findings .wide', make('p', {}, 'No release was tested on the open findings in this run.'));
  }
  const names = Object.keys(DATA.findings), rows = names.map((name, at) => {
    const marks = night().findings[name] || {}, finding = DATA.findings[name];
    const asked = releases.filter((engine) => marks[engine] && isRun(marks[engine]));
    const spans = spansOf(asked, marks);
    const all = ran.every((engine) => asked.includes(engine));
    return [at, finding.clause, spans.map((span) => span.bad).join(', ') || (all ? 'none' : 'not replayed'),
      spans.map((span) => span.good).filter(Boolean).join(', '), finding.guilty || 'not known',
      ...columns.map((engine) => marks[engine] || (ran.includes(engine) ? '.' : '')),
      (ran.length ? ran : asked.slice(-1)).some((engine) => isFailure(marks[engine] || '.'))];
  }).sort((a, b) => b[b.length - 1] - a[a.length - 1]);
  const title = (at) => DATA.findings[names[at]].title || names[at];
  longTable('#findings .wide', [column('finding', {render: (at, kind) => (kind === 'display'
    ? `<button type="button" class="link" data-finding="${at}">${escaped(title(at))}</button>` : title(at))}),
  ...['clause', 'first bad of these', 'first good after', 'guilty pass'].map((head) => column(head)),
  ...columns.map((engine) => column(engine, {render: (mark, kind) => (!mark ? '' : kind !== 'display' ? findingWord(mark)
    : `<span class="${classOf(mark.toLowerCase())}">${findingWord(mark)}</span>`)}))], rows, searchable());
  named('#findings input', 'Words of a finding');
  document.querySelector('#findings table').addEventListener('click', (event) => {
    const target = event.target.closest('button[data-finding]');
    if (target) showFinding(names[+target.dataset.finding]);
  });
}

function tallyBy(keyOf) {
  const rows = new Map();
  engineNames().forEach((engine, at) => {
    const marks = night().engines[engine].marks;
    for (let i = 0; i < CASES.length; i++) {
      if (marks[i] === '.') continue;
      const key = keyOf(CASES[i]);
      if (!rows.has(key)) rows.set(key, engineNames().map(() => ({})));
      const counts = rows.get(key)[at], word = wordOf(marks[i]);
      counts[word] = (counts[word] || 0) + 1;
      if (isUnexpected(marks[i])) counts.fresh = true;
    }
  });
  return rows;
}
const countsText = (counts) => KINDS.filter((kind) => counts[kind])
  .map((kind) => `${counts[kind]} ${kind}`).join(', ');
const countsBad = (counts) => KINDS.some((kind) => !QUIET.includes(kind) && counts[kind]);

function showOperations() {
  const byType = document.getElementById('bytype').checked;
  const rows = [...tallyBy((one) => one.operation + (byType ? '\n' + one.type : ''))]
    .map(([key, engines]) => {
      const [operation, type] = key.split('\n');
      return [operation, ...(byType ? [type || 'other'] : []), DATA.weights[operation] || 0, ...engines];
    });
  // Sort failing operations first, then by their use in real programs.
  const weight = byType ? 2 : 1, fails = (row) => row.slice(weight + 1).some(countsBad);
  rows.sort((a, b) => fails(b) - fails(a) || b[weight] - a[weight]);
  const show = (counts, kind) => (kind !== 'display' ? KINDS.reduce((sum, word) =>
    sum + (QUIET.includes(word) ? 0 : counts[word] || 0), 0)
    : `<span class="${counts.fresh ? 'bad' : countsBad(counts) ? 'known' : 'good'}">${escaped(countsText(counts))}</span>`);
  longTable('#operations .wide', [column('operation'), ...(byType ? [column('type')] : []),
    column('weight', {type: 'num', className: 'number'}),
    ...engineNames().map((engine) => column(engine, {render: show, type: 'num'}))], rows, searchable());
  named('#operations input[type=search]', 'Words of an operation');
}

let casesTable = null, question = () => true;
function showCases() {
  const names = engineNames();
  const render = (i, kind, row, meta) => {
    const mark = markOf(night(), names[meta.col - 1], i);
    if (kind !== 'display') return wordOf(mark);
    const word = mark === '.' ? '' : wordOf(mark);
    return isBad(mark) || 'xXl'.includes(mark)
      ? `<button type="button" class="link ${classOf(mark)}" data-case="${i}" data-engine="${meta.col - 1}">${word}</button>`
      : `<span class="${classOf(mark)}">${word}</span>`;
  };
  casesTable = longTable('#cases .wide', [column('case', {render: (i, kind) => (kind === 'display'
    ? escaped(CASES[i].address) : CASES[i].address)}),
  ...names.map((name) => column(name, {render, searchable: false}))],
  CASES.map((one, i) => [i, ...names.map(() => i)]), {pageLength: 50});
  document.querySelector('#cases table').addEventListener('click', (event) => {
    const target = event.target.closest('button[data-case]');
    if (target) showFailure(names[+target.dataset.engine], +target.dataset.case);
  });
  found();
}
function found() {
  const count = casesTable.rows({search: 'applied'}).count();
  place('#found', `${count} of ${CASES.length} cases`);
}
function ask(text) {
  question = questionOf(text);
  casesTable.draw();
  found();
}

// Returns a name of a failure that depends only on its cause.
function causeOf(engine, i, mark) {
  const one = recordOf(night().label, engine, i), record = one ? one.record : null;
  if (record && record.expectation) return record.expectation;
  return record && one.cause ? one.cause : `${wordOf(mark)}: ${CASES[i].operation}`;
}
function showCauses() {
  const causes = new Map();
  for (const engine of engineNames()) {
    const marks = night().engines[engine].marks;
    for (let i = 0; i < CASES.length; i++) {
      if (!isBad(marks[i])) continue;
      const key = engine + '\n' + causeOf(engine, i, marks[i]);
      if (!causes.has(key)) causes.set(key, {engine, cause: key.slice(engine.length + 1), cases: [], fresh: 0});
      causes.get(key).cases.push(i);
      causes.get(key).fresh += isUnexpected(marks[i]);
    }
  }
  const rows = [...causes.values()].sort((a, b) => b.fresh - a.fresh || b.cases.length - a.cases.length);
  view.causes = rows;
  longTable('#causes .wide', [column('cause'), column('engine'), column('verdicts', {type: 'num', className: 'number'}),
    column('not expected', {type: 'num', className: 'number'}),
    {title: 'first', orderable: false, render: (at, kind) => (kind === 'display'
      ? `<button type="button" class="link" data-cause="${at}">${escaped(CASES[rows[at].cases[0]].address)}</button>` : at)}],
  rows.map((row, at) => [row.cause, row.engine, row.cases.length, row.fresh, at]));
  document.querySelector('#causes table').addEventListener('click', (event) => {
    const target = event.target.closest('button[data-cause]');
    if (target) showFailure(rows[+target.dataset.cause].engine, rows[+target.dataset.cause].cases[0]);
  });
}
