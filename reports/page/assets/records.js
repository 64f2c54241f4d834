// SPDX-License-Identifier: Apache-2.0
// Precision, what was not checked, clauses, trends, and the facts of the night.
'use strict';
function showPrecision() {
  const worst = new Map();
  for (const one of DATA.failures) {
    if (one.night !== night().label || one.record.verdict !== 'fail' || !one.record.first_failure) continue;
    const module = one.module >= 0 ? DATA.texts[one.module] : '';
    const type = typeOf(one.record, module, one.case);
    const miss = missOf(one.record.first_failure, type);
    if (!miss || !miss.miss) continue;
    const key = [CASES[one.case].operation, type, one.engine].join('\n');
    if (!worst.has(key) || worst.get(key).miss < miss.miss) worst.set(key, {miss: miss.miss, one});
  }
  const rows = [...worst].map(([key, at]) => [...key.split('\n'), at.miss, at.one.record.first_failure.rule]);
  const misses = document.getElementById('misses');
  misses.replaceChildren(make('h3', {}, `Wrong values: how many ulps beyond the accepted set, at most (${rows.length})`),
    make('p', {}, 'Of the first wrong element of each failing case, beside the bound that the rule states. Values within their bounds are not measured.'));
  if (rows.length) {
    const inside = make('div', {id: 'missrows'});
    misses.append(inside);
    longTable('#missrows', [column('operation'), column('type'), column('engine'),
      column('ulps beyond', {type: 'num', className: 'number'}), column('stated bound')],
    rows.sort((a, b) => b[3] - a[3]));
  }
  const bits = document.getElementById('bits');
  bits.replaceChildren(make('h3', {}, 'Significand bits that the sets left to check'));
  if (!DATA.bits.length) return bits.append(make('p', {}, 'Not recorded this night.'));
  bits.append(make('div', {id: 'bitrows'}));
  const format = {2: 'f8e5m2-like', 3: '3 bits', 4: 'f8e4m3-like', 8: 'bf16', 11: 'f16', 24: 'f32', 53: 'f64'};
  longTable('#bitrows', [column('operation'), column('engine'), column('format'),
    column('elements', {type: 'num', className: 'number'}), column('median', {type: 'num', className: 'number'}),
    column('5th percentile', {type: 'num', className: 'number'})],
  DATA.bits.map((row) => [row[1], row[0], `${format[row[2]] || row[2]} (${row[2]})`, row[3], row[4], row[5]])
    .sort((a, b) => a[4] - b[4]));
}

function reachedClauses() {
  const reached = new Map();  // clause: engine: [passed, all]
  engineNames().forEach((engine) => {
    const marks = night().engines[engine].marks;
    for (let i = 0; i < CASES.length; i++) {
      if (!isRun(marks[i])) continue;
      for (const id of clausesOf(i)) {
        if (!reached.has(id)) reached.set(id, {});
        const counts = reached.get(id)[engine] || (reached.get(id)[engine] = [0, 0]);
        counts[0] += marks[i] === 'p';
        counts[1]++;
      }
    }
  });
  return reached;
}

function showUnchecked(reached) {
  const counts = engineNames().map((engine) => {
    const of = {};
    for (const mark of night().engines[engine].marks) if (mark !== '.') of[wordOf(mark)] = (of[wordOf(mark)] || 0) + 1;
    return [engine, of];
  });
  const rows = counts.map(([engine, of]) => [engine, ...['inconclusive', 'unsupported', 'not run', 'error', 'timeout']
    .map((kind) => cell(String(of[kind] || 0), of[kind] && kind !== 'unsupported' ? 'known number' : 'number'))]);
  const untested = DATA.clauses.filter((clause) => !reached.has(clause.id) && clause.state === 'tested' && !DATA.programs[clause.id]);
  const few = DATA.bits.filter((row) => row[5] < 2).length;
  const list = (title, items) => make('details', {}, make('summary', {}, `${title}: ${items.length}`),
    make('p', {}, items.join(', ') || 'none'));
  const wide = make('div', {class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'Not checked, by engine'});
  wide.append(smallTable(['engine', 'inconclusive', 'unsupported', 'not run', 'error', 'timeout'], rows));
  place('#unchecked > div', wide,
    make('p', {}, `Operations of which a twentieth of the elements had fewer than two bits checked: ${few}.`),
    list('Testable sentences that this night did not reach', untested.map((clause) => clause.id)),
    list('Sentences that no case can test', DATA.clauses.filter((c) => c.state === 'untestable').map((c) => c.id)),
    list('Sentences that are open', DATA.clauses.filter((c) => c.state === 'open').map((c) => c.id)),
    list('Releases that are listed and were not run', DATA.releases_absent));
}

function showClauses(reached) {
  const states = ['tested', 'freedom', 'untestable', 'open'];
  const documents = new Map();
  for (const clause of DATA.clauses) {
    if (!documents.has(clause.document)) documents.set(clause.document, {all: 0, reached: 0});
    const of = documents.get(clause.document);
    of.all++;
    of[clause.state] = (of[clause.state] || 0) + 1;
    of.reached += reached.has(clause.id);
  }
  const [top, all] = document.querySelectorAll('#clauses .wide');
  top.replaceChildren(smallTable(['document', 'clauses', ...states, 'reached this night'],
    [...documents].map(([title, of]) => [title, of.all, ...states.map((state) => of[state] || 0), of.reached])));
  const cases = {};
  for (const [name, ids] of Object.entries(DATA.case_clauses)) for (const id of ids) (cases[id] = cases[id] || []).push(name);
  const evidence = (id) => [...(cases[id] || []), ...DATA.programs[id] || []];
  longTable('#clauses .wide:last-child', [column('clause'), column('what it says'), column('state'),
    column('cases', {render: (names, kind) => (kind === 'display' ? names.slice(0, 4).map(escaped).join('<br>')
      + (names.length > 4 ? `<br>and ${names.length - 4} more` : '') : names.join(' '))}),
    column('planted fault that one notices'),
    ...engineNames().map((engine) => column(engine, {render: (data, kind) => (kind === 'display'
      ? (data ? `<span class="${data[0] === data[1] ? 'good' : 'part'}">${data[0]} of ${data[1]} pass</span>` : '')
      : data ? data[0] / data[1] : -1), type: 'num'}))],
  DATA.clauses.map((clause) => [clause.id, clause.text + (clause.note ? ` (${clause.note})` : ''), clause.state,
    evidence(clause.id), clause.fault, ...engineNames().map((engine) => (reached.get(clause.id) || {})[engine])]),
  {dom: 'ftip', language: {search: 'Words:'}});
  all.querySelector('input').setAttribute('aria-label', 'Words of a clause');
}

let chart = null;
function showTrends() {
  const engines = [...new Set(DATA.nights.flatMap((one) => Object.keys(one.engines)))];
  const bad = (one, engine) => (one.engines[engine]
    ? one.engines[engine].tally.reduce((sum, [mark, count]) => sum + (isBad(mark) ? count : 0), 0) : null);
  const rows = DATA.nights.map((one) => [one.label, ...engines.map((engine) => {
    const count = bad(one, engine);
    return count === null ? '' : String(count);
  })]);
  place('#trends .wide', smallTable(['night', ...engines], rows, 'Verdicts that are no pass, known ones included'));
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3]];
  if (chart) chart.destroy();
  Chart.defaults.color = colour('--text');
  Chart.defaults.borderColor = colour('--line');
  chart = new Chart(document.querySelector('#chart canvas'), {type: 'line',
    data: {labels: DATA.nights.map((one) => one.label), datasets: engines.map((engine, at) => ({label: engine,
      data: DATA.nights.map((one) => bad(one, engine)), borderColor: colour(['--link', '--bad', '--good', '--known', '--part'][at % 5]),
      borderDash: dashes[at % 5], pointRadius: 4, tension: 0}))},
    options: {animation: false, maintainAspectRatio: false, scales: {y: {beginAtZero: true, ticks: {precision: 0}}}}});
}

function showFacts() {
  const one = night();
  const versions = Object.entries(one.engines).map(([name, engine]) => `${name}: ${engine.version || 'no version'}`);
  const details = make('details', {}, make('summary', {}, 'Engines and their versions'), make('ul', {}, ...versions.map((text) => make('li', {}, text))));
  place('#facts', `${one.label || ''} · tier ${one.tier || '?'} · profile ${one.profile || '?'} · ${Object.keys(one.engines).length} engines · `
    + `${CASES.length} cases · ${one.modules || 0} random modules · suite ${(one.suite || '?').slice(0, 8)} · hlocts ${one.program || '?'} · `
    + `${one.cpu || 'processor not recorded'}, ${one.cores || '?'} cores`);
  document.getElementById('facts').after(details);
  if (view.facts) view.facts.remove();
  view.facts = details;
}
