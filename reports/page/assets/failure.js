// SPDX-License-Identifier: Apache-2.0
// Shows one failure: the actual value, the acceptance set, the module with the wrong instruction,
// the sentence of the documents, and how to reproduce it.
'use strict';
// Numbers of exponent bits and of stored significand bits.
const FORMATS = {f64: [11, 52], f32: [8, 23], bf16: [8, 7], f16: [5, 10], f8e5m2: [5, 2],
  f8e4m3: [4, 3]};

// Returns the position of a value among the values of its format (0 for zero), or null for NaN.
function ordinal(value, type) {
  if (!FORMATS[type] || Number.isNaN(value)) return null;
  const [exponentBits, stored] = FORMATS[type];
  const bias = 2 ** (exponentBits - 1) - 1, size = Math.abs(value);
  if (size === Infinity) return (value < 0 ? -1 : 1) * (2 ** exponentBits - 1) * 2 ** stored;
  if (size === 0) return 0;
  let exponent = Math.floor(Math.log2(size));
  if (2 ** exponent > size) exponent--;
  exponent = Math.max(exponent, 1 - bias);
  const steps = Math.round(size / 2 ** exponent * 2 ** stored);
  const at = (exponent + bias - 1) * 2 ** stored + steps;
  return value < 0 ? -at : at;
}
function numberOf(text) {
  const word = text.trim();
  if (/^[+-]?inf$/.test(word)) return word[0] === '-' ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : NaN;
}
// Returns the ends of a set ("[1, 2]", "1", "1 or 2"), or null if it is not a set of numbers.
function setOf(accepted) {
  if (/nan|0x|\(/.test(accepted)) return null;
  const numbers = (accepted.match(/[+-]?(?:inf\b|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)/gi) || [])
    .map(numberOf).filter((one) => !Number.isNaN(one));
  return numbers.length ? [Math.min(...numbers), Math.max(...numbers)] : null;
}
// Returns the positions of set and value and the number of values between them, or null.
function missOf(failure, type) {
  const set = setOf(failure.accepted || ''), value = numberOf(failure.actual || '');
  if (!set) return null;
  const [low, high, at] = [ordinal(set[0], type), ordinal(set[1], type), ordinal(value, type)];
  if (low === null || high === null || at === null) return null;
  return {low, high, at, miss: at < low ? low - at : at > high ? at - high : 0};
}

const blamedIn = (record) => (record && record.first_failure
  ? (record.first_failure.instruction.match(/[\w.-]+/g) || []) : []);
// Returns the element type of the blamed instruction, or that of the case.
function typeOf(record, module, i) {
  for (const name of blamedIn(record).reverse()) {
    const found = new RegExp('(?:^|\\s)%?' + name.replace(/[.]/g, '\\.') + ' = \\(?([a-z]\\w*)\\[').exec(module || '');
    if (found) return found[1];
  }
  return CASES[i] ? CASES[i].type : '';
}

function svg(tag, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}
const round = (x) => (x >= 1e6 ? x.toExponential(2) : String(x));

// Draws the set and the value on a line of ulps. Distances are logarithmic and stated in words.
function ulpLine(failure, type) {
  const place = missOf(failure, type);
  if (!place) return null;
  const width = place.high - place.low;
  const scale = (steps) => 40 * Math.log2(1 + steps);
  const set = Math.min(300, 8 + scale(width)), gap = place.miss ? Math.min(380, 10 + scale(place.miss)) : 0;
  const below = place.at < place.low, left = below ? gap + 20 : 20;
  const at = below ? 20 : place.miss ? left + set + gap : left + set * (width ? (place.at - place.low) / width : .5);
  const label = `${failure.actual} is ${round(place.miss)} ulp (${type}) ${place.miss ? (below ? 'below' : 'above') : 'away from'} the accepted set, which holds ${round(width + 1)} values`;
  const picture = svg('svg', {class: 'ulp', viewBox: '0 0 760 70', role: 'img', 'aria-label': label});
  picture.append(svg('line', {class: 'axis', x1: 0, x2: 760, y1: 35, y2: 35}),
    svg('rect', {class: 'set', x: left, y: 27, width: set, height: 16}),
    svg('circle', {class: 'value', cx: at, cy: 35, r: 7}),
    svg('text', {x: left, y: 62}, 'accepted ' + failure.accepted.slice(0, 60)),
    svg('text', {x: Math.min(at, 560), y: 18}, failure.actual.slice(0, 30)));
  return make('div', {}, picture, make('p', {}, label + '. Distances are drawn by their logarithm.'));
}

// Marks blamed instructions and their operands in the lines of a module.
function moduleLines(text, record) {
  const lines = text.split('\n'), blamed = new Set(blamedIn(record)), operands = new Map();
  const nameOf = (line) => (/^\s*(?:ROOT )?%?([\w.-]+) = /.exec(line) || [])[1];
  for (const line of lines) {
    const name = nameOf(line);
    if (name) operands.set(name, (line.slice(line.indexOf('=')).match(/%?[\w.-]+/g) || []).map((one) => one.replace('%', '')));
  }
  const feeds = new Set(), waiting = [...blamed];
  while (waiting.length) {
    for (const name of operands.get(waiting.pop()) || []) {
      if (operands.has(name) && !feeds.has(name)) { feeds.add(name); waiting.push(name); }
    }
  }
  return make('pre', {class: 'module', tabindex: '0'}, ...lines.map((line) => {
    const name = nameOf(line);
    const kind = blamed.has(name) ? 'wrong' : feeds.has(name) ? 'feeds' : null;
    const words = kind === 'wrong' ? (blamed.size > 1 ? '    // wrong together' : '    // wrong in isolation')
      : kind === 'feeds' ? '    // feeds it' : '';
    return make('div', {class: kind}, (line || ' ') + words);
  }));
}

function clauseParts(i, failure) {
  const ids = new Set(i === null ? [] : clausesOf(i));
  const named = failure ? failure.clause : '';
  const rows = DATA.clauses.filter((clause) => ids.has(clause.id) || clause.id === named);
  return rows.map((clause) => make('p', {}, make('strong', {}, clause.id + ' '), clause.text,
    make('br'), make('small', {}, [clause.source, clause.note].filter(Boolean).join('; '))));
}

function facts(pairs) {
  return make('dl', {}, ...pairs.filter(([, text]) => text).flatMap(([name, text]) =>
    [make('dt', {}, name), make('dd', {}, text)]));
}

function showDialog(title, parts) {
  document.getElementById('failuretitle').textContent = title;
  place('#failurebody', ...parts.filter(Boolean));
  document.getElementById('failure').showModal();
}

// A record contains the label of an engine, but not its file, which is known only where it ran.
function replay(command) {
  return [make('h3', {}, 'Replay'), make('pre', {tabindex: '0'}, `hlocts ${command}`),
    ...(command.includes('--backend=') ? [make('p', {}, make('small', {},
      'If the engine is a label, write --backend=LABEL=ENGINE, as the run was given it.'))] : [])];
}

function showFailure(engine, i) {
  const mark = markOf(night(), engine, i);
  const one = recordOf(night().label, engine, i)
    || (nightBefore() && recordOf(nightBefore().label, engine, i));
  const record = one ? one.record : null, failure = record ? record.first_failure : null;
  const module = one && one.module >= 0 ? DATA.texts[one.module] : '';
  const type = typeOf(record, module, i);
  const address = CASES[i].address;
  const profile = record && record.profile !== 'default' ? ` --profile=${record.profile}` : '';
  const parts = [facts([['engine', `${engine} ${(night().engines[engine] || {}).version || ''}`],
    ['verdict', wordOf(mark) + (isUnexpected(mark) ? ', not expected' : '')],
    ['before', nightBefore() ? wordOf(latestMark(nightBefore(), engine, i)) : ''],
    ['repeated', record ? record.flake : ''], ['reason', record ? record.reason : ''],
    ['known as', record ? record.expectation : ''],
    ['value', failure ? `${failure.actual} (${failure.actual_bits}), output ${failure.output} [${failure.index}]` : ''],
    ['accepted', failure ? failure.accepted : ''], ['distance', failure ? failure.distance : ''],
    ['operands', failure ? (failure.operands || []).map((one) => `${one.name} = ${one.value}`).join(', ') : ''],
    ['rule', failure ? failure.rule : ''],
    ['instruction', failure ? failure.instruction : '']])];
  if (one && one.night !== night().label) parts.push(make('p', {}, `Recorded in ${one.night}.`));
  if (!one && isBad(mark)) parts.push(make('p', {}, 'Only the counts of this run are kept; its records are in another file.'));
  if (failure) parts.push(ulpLine(failure, type));
  parts.push(...replay(`run '${address}' --backend='${engine}' --tier=exhaustive${profile} --out=out/again`));
  if (module) parts.push(make('h3', {}, 'Module'), moduleLines(module, record));
  const sentences = clauseParts(i, failure);
  if (sentences.length) parts.push(make('h3', {}, 'Sentences of the documents'), ...sentences);
  showDialog(address, parts);
}

function showFinding(name) {
  const finding = DATA.findings[name], marks = night().findings[name] || {};
  showDialog(finding.title || name, [facts([['clause', finding.clause],
    ['guilty pass', finding.guilty], ...Object.entries(marks).map(([engine, mark]) => [engine, wordOf(mark)])]),
  ...replay(`replay results/findings/${name}`),
  make('h3', {}, 'Module'), moduleLines(finding.module, null), ...clauseParts(null, finding)]);
}

// Shows the minimised module of a failure that a campaign found, and its random origin.
function showBucket(bucket) {
  const module = bucket.module >= 0 ? DATA.texts[bucket.module] : '';
  const drawn = /^seed (\d+), module (\d+)/.exec(bucket.origin);
  showDialog(bucket.name, [facts([['engine', bucket.engine], ['found in', bucket.origin]]),
    ...(drawn ? replay(`fuzz --backend='${bucket.engine}' --seed=${drawn[1]} --only=${drawn[2]} --out=out/again`) : []),
    ...(module ? [make('h3', {}, 'Shrunk module'), moduleLines(module, null)] : [])]);
}
