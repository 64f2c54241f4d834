// SPDX-License-Identifier: Apache-2.0
// Shows engines, precision, unchecked elements, clauses, trends, and facts of the nightly run.
'use strict';
// Returns the bound of a rule, or NaN if it depends on the argument.
function boundOf(rule) {
  const found = /^ulp\(([\d.]+)\)(?:, ([\d.]+) from 2\^\d+)?$/.exec(rule);
  return found ? Math.max(Number(found[1]), Number(found[2] || 0)) : NaN;
}
const MOST_USED = ['f32', 'f64', 'bf16', 'f16'];
const rankOf = (type) => (MOST_USED.includes(type) ? MOST_USED.indexOf(type) : MOST_USED.length);
const byTypeAndName = (a, b) => rankOf(a[1]) - rankOf(b[1]) || (a[0] + a[1] < b[0] + b[1] ? -1 : 1);
// Shows accepted values: a row per function, type and stated bound, a column per release.
function showUlps() {
  const before = new Map(), rows = new Map();
  // Other rows than those of the newest nightly run are of the last complete one of the engine.
  const measured = DATA.ulps.filter((row) => row[0] === night().label);
  for (const row of isDefaultView() ? DATA.ulps : [])
    if (row[0] !== night().label) before.set(row.slice(1, 4).join('\n'), row);
  for (const row of measured) {
    const key = [row[2], row[3], row[7]].join('\n');
    if (!rows.has(key)) rows.set(key, {name: row[2], type: row[3], rule: row[7], engines: {}});
    rows.get(key).engines[row[1]] = {row, was: before.get(row.slice(1, 4).join('\n'))};
  }
  const engines = DATA.releases.filter((name) => measured.some((row) => row[1] === name));
  place('#ulps', make('h3', {}, 'Accepted values: largest distance from the exact value, in ulps'),
    make('p', {}, measured.length ? 'Functions whose arguments are exact, with the stated bound; marked: above nine tenths of it.'
      : 'Not recorded in this run.'));
  if (!measured.length) return;
  document.getElementById('ulps').append(make('div', {id: 'ulprows'}));
  const all = [...rows.values()];
  const render = (engine) => (at, kind) => {
    const one = all[at].engines[engine];
    if (kind !== 'display') return one ? one.row[4] : -1;
    if (!one) return '';
    const near = one.row[4] > .9 * boundOf(all[at].rule);
    const moved = one.was !== undefined && Math.abs(one.was[4] - one.row[4]) > .05;
    return `<button type="button" class="link${near ? ' known' : ''}" data-ulps="${at}" data-engine="${escaped(engine)}">`
      + `${one.row[4].toFixed(2)}</button>${moved ? ` was ${one.was[4].toFixed(2)}${escaped(inOlder(one.was[0]))}` : ''}`;
  };
  longTable('#ulprows', [column('function'), column('type'), column('stated bound'),
    ...engines.map((engine) => column(engine, {render: render(engine), type: 'num', className: 'number'}))],
  all.map((row, at) => [row.name, row.type, row.rule, ...engines.map(() => at)]).sort(byTypeAndName), searchable());
  named('#ulprows input', 'Words of a function');
  document.querySelector('#ulprows table').addEventListener('click', (event) => {
    const target = event.target.closest('button[data-ulps]');
    if (target) showMeasured(all[+target.dataset.ulps].engines[target.dataset.engine]);
  });
}
function showMeasured({row, was}) {
  const [, engine, name, type, ulps, argument, value, rule, elements] = row;
  showDialog(`${name} of ${type} on ${engine}`, [facts([['worst accepted value', value], ['of the argument', argument],
    ['ulps from the exact value', ulps.toFixed(4)], ['before', was === undefined ? '' : `${was[4].toFixed(4)} in ${was[0]}`],
    ['stated bound', rule], ['elements measured', String(elements)]])]);
}

// Shows the distance of wrong values from the acceptance set.
function showMisses() {
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
  misses.replaceChildren(make('h3', {}, `Wrong values: largest distance from the accepted set, in ulps (${rows.length})`),
    make('p', {}, 'The first wrong element of each failing case, with the bound of the rule.'));
  if (rows.length) {
    const inside = make('div', {id: 'missrows'});
    misses.append(inside);
    longTable('#missrows', [column('operation'), column('type'), column('engine'),
      column('ulps beyond', {type: 'num', className: 'number'}), column('stated bound')],
    rows.sort((a, b) => b[3] - a[3]));
  }
}

function showBits() {
  const bits = document.getElementById('bits');
  bits.replaceChildren(make('h3', {}, 'Significand bits that the sets check'));
  if (!DATA.bits.length) return bits.append(make('p', {}, 'Not recorded in this run.'));
  bits.append(make('div', {id: 'bitrows'}));
  const format = {2: 'f8e5m2-like', 3: '3 bits', 4: 'f8e4m3-like', 8: 'bf16', 11: 'f16', 24: 'f32', 53: 'f64'};
  longTable('#bitrows', [column('operation'), column('engine'), column('format'),
    column('elements', {type: 'num', className: 'number'}), column('median', {type: 'num', className: 'number'}),
    column('5th percentile', {type: 'num', className: 'number'})],
  DATA.bits.map((row) => [row[1], row[0], `${format[row[2]] || row[2]} (${row[2]})`, row[3], row[4], row[5]])
    .sort((a, b) => a[4] - b[4]));
}

function showPrecision() {
  showUlps();
  showMisses();
  showBits();
}

function reachedClauses() {
  const reached = new Map();  // clause -> engine -> [passed, all]
  engineNames().forEach((engine) => {
    const marks = night().engines[engine].marks;
    for (let i = 0; i < CASES.length; i++) {
      if (!isRun(marks[i])) continue;
      for (const id of clausesOf(i)) {
        if (!reached.has(id)) reached.set(id, {});
        const counts = reached.get(id)[engine] || (reached.get(id)[engine] = [0, 0]);
        counts[0] += 'pP'.includes(marks[i]);
        counts[1]++;
      }
    }
  });
  return reached;
}

function showUnchecked(reached) {
  const counts = engineNames().map((engine) => {
    const of = {};
    for (const [mark, count] of night().engines[engine].tally) of[wordOf(mark)] = (of[wordOf(mark)] || 0) + count;
    return [engine, of];
  });
  const rows = counts.map(([engine, of]) => [engine, ...['inconclusive', 'unsupported', 'not run', 'error', 'timeout']
    .map((kind) => cell(String(of[kind] || 0), of[kind] && kind !== 'unsupported' ? 'known number' : 'number'))]);
  const untested = DATA.clauses.filter((clause) => !reached.has(clause.id) && clause.state === 'tested' && !DATA.programs[clause.id]);
  const few = new Set(DATA.bits.filter((row) => row[5] < 2).map((row) => row[1])).size;
  const list = (title, items) => make('details', {}, make('summary', {}, `${title}: ${items.length}`),
    make('p', {}, items.join(', ') || 'none'));
  place('#unchecked > div', wide('Not checked, by engine',
    smallTable(['engine', 'inconclusive', 'unsupported', 'not run', 'error', 'timeout'], rows)),
    make('p', {}, `Operations with fewer than two bits checked in a twentieth of the elements: ${few}.`),
    list('Testable clauses that this run did not reach', untested.map((clause) => clause.id)),
    list('Clauses that no case can test', DATA.clauses.filter((c) => c.state === 'untestable').map((c) => c.id)),
    list('Clauses that are open', DATA.clauses.filter((c) => c.state === 'open').map((c) => c.id)),
    list('Releases that are listed and did not run the suite', DATA.releases_listed.filter((name) => !night().engines[name])));
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
  const top = document.querySelector('#clauses .wide');
  top.replaceChildren(smallTable(['document', 'clauses', ...states, 'reached in this run'],
    [...documents].map(([title, of]) => [title, of.all, ...states.map((state) => of[state] || 0), of.reached])));
  const cases = {};
  for (const [name, ids] of Object.entries(DATA.case_clauses)) for (const id of ids) (cases[id] = cases[id] || []).push(name);
  const evidence = (id) => [...(cases[id] || []), ...DATA.programs[id] || []];
  longTable('#clauses .wide:last-child', [column('clause'), column('text'), column('state'),
    column('cases', {render: (names, kind) => (kind === 'display' ? names.slice(0, 4).map(escaped).join('<br>')
      + (names.length > 4 ? `<br>and ${names.length - 4} more` : '') : names.join(' '))}),
    column('planted fault that one notices'),
    ...engineNames().map((engine) => column(engine, {render: (data, kind) => (kind === 'display'
      ? (data ? `<span class="${data[0] === data[1] ? 'good' : 'part'}">${data[0]} of ${data[1]} pass</span>` : '')
      : data ? data[0] / data[1] : -1), type: 'num'}))],
  DATA.clauses.map((clause) => [clause.id, clause.text + (clause.note ? ` (${clause.note})` : ''), clause.state,
    evidence(clause.id), clause.fault, ...engineNames().map((engine) => (reached.get(clause.id) || {})[engine])]),
  searchable());
  named('#clauses input', 'Words of a clause');
}

const TREND = 'Verdicts other than pass, unsupported, nan_bits and flaky, including known ones';
let chart = null;
function showTrends() {
  const engines = [...new Set(DATA.nights.flatMap((one) => Object.keys(one.engines)))];
  const count = (one, engine, counted) => one.engines[engine].tally.reduce((sum, [mark, cases]) => sum + (counted(mark) ? cases : 0), 0);
  const lost = (one, engine) => count(one, engine, (mark) => mark === 'l');
  const rows = DATA.nights.map((one) => [one.label, ...engines.map((engine) => (!one.engines[engine] ? ''
    : count(one, engine, isBad) + (lost(one, engine) ? `, and ${lost(one, engine)} not run` : '')))]);
  place('#trends .wide', smallTable(['run', ...engines], rows, `${TREND}. The chart has no point of an engine with cases not run`));
  document.querySelector('#chart canvas').setAttribute('aria-label', `${TREND}, by engine and run; the table below has the numbers`);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3]];
  if (chart) chart.destroy();
  Chart.defaults.color = colour('--text');
  Chart.defaults.borderColor = colour('--line');
  chart = new Chart(document.querySelector('#chart canvas'), {type: 'line',
    data: {labels: DATA.nights.map((one) => one.label), datasets: engines.map((engine, at) => ({label: engine,
      data: DATA.nights.map((one) => (one.engines[engine] && !lost(one, engine) ? count(one, engine, isBad) : null)), borderColor: colour(['--link', '--bad', '--good', '--known', '--part'][at % 5]),
      borderDash: dashes[at % 5], pointRadius: 4, tension: 0}))},
    options: {animation: false, maintainAspectRatio: false, scales: {y: {beginAtZero: true, ticks: {precision: 0}}}}});
}

const minutes = (seconds) => (seconds < 100 ? `${seconds.toFixed(1)} s` : `${(seconds / 60).toFixed(1)} min`);
// Returns the share of passing cases, with operations weighted by their use in real programs. Names
// operations that fail, or are not judged, and do not count, because these programs do not use them.
function weightedPasses(engine) {
  const at = engineNames().indexOf(engine);
  let all = 0, passed = 0;
  const ignored = {};
  for (const [operation, engines] of tallyBy((one) => one.operation)) {
    const counts = engines[at], cases = KINDS.reduce((sum, kind) => sum + (counts[kind] || 0), 0);
    if (!cases) continue;
    for (const kind of DATA.weights[operation] ? [] : KINDS) {
      if (!counts[kind] || QUIET.includes(kind)) continue;
      const word = isFailureWord(kind) ? 'failures' : kind;
      ignored[word] = (ignored[word] || new Set()).add(operation);
    }
    all += DATA.weights[operation] || 0;
    passed += (DATA.weights[operation] || 0) * (counts.pass || 0) / cases;
  }
  const named = Object.entries(ignored).map(([word, names]) => `${word}: ${names.size > 3 ? `${names.size} operations` : [...names].join(', ')}`);
  return all ? `${(100 * passed / all).toFixed(1)}%${named.length ? `; weight 0, but ${named.join('; ')}` : ''}` : '';
}
function showEngines() {
  const names = DATA.releases.filter((name) => night().engines[name]);
  const counted = names.map((name) => {
    const counts = {};
    let cases = 0, fresh = 0;
    for (const [mark, count] of night().engines[name].tally) {
      cases += count;
      counts[wordOf(mark)] = (counts[wordOf(mark)] || 0) + count;
      fresh += isUnexpected(mark) ? count : 0;
    }
    return {name, counts, cases, fresh};
  });
  const kinds = KINDS.filter((kind) => counted.some((one) => one.counts[kind]));
  place('#engines .wide', smallTable(['engine', 'cases', 'not as expected', ...kinds, 'pass, weighted by use', 'in the engine', 'version'],
    counted.map(({name, counts, cases, fresh}) => [name, cell(String(cases), 'number'),
      cell(String(fresh), fresh ? 'bad number' : 'good number'), ...kinds.map((kind) => cell(String(counts[kind] || ''), 'number')),
      cell(weightedPasses(name), 'number'), cell(minutes(night().engines[name].seconds), 'number'),
      cell(night().engines[name].version || '', 'version')])));
}

const clock = (time) => time.replace('T', ' ').replace(/:\d\dZ$/, '');
function showFacts() {
  const one = night();
  place('#facts', `${one.started ? `suites: ${clock(one.started)} ${one.finished ? 'to ' + clock(one.finished) + ' UTC' : 'UTC, not all suites ended'}` : one.label || ''} · tier ${one.tier || '?'} · profile ${one.profile || '?'} · ${Object.keys(one.engines).length} engine${Object.keys(one.engines).length === 1 ? '' : 's'} · `
    + `${CASES.length} cases · ${one.modules || 0} random modules · suite ${(one.suite || '?').slice(0, 8)} · hlocts ${one.program || '?'} · `
    + `${one.cpu || 'processor not recorded'}, ${one.cores || '?'} cores`,
    ...(one.notes || []).map((note) => make('span', {class: 'known note'}, ` · ${note}`)));
}
