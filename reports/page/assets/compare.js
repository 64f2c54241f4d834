// SPDX-License-Identifier: Apache-2.0
// Compares two nightly runs that a reader chooses, by the rules of reports/nights/nights.cc. The
// browser test checks that both give the same lists.
'use strict';
const FEW_CASES = 10;
function isDead(engine) {
  let ended = 0;
  for (const mark of engine.marks) {
    if (!isRun(mark)) continue;
    if (!'cet'.includes(mark.toLowerCase())) return false;
    ended++;
  }
  return ended === 0 || ended >= FEW_CASES;
}

// Returns the latest verdict before the nightly run of index `until` and the index of its run; a run
// in which the engine was dead has none.
function latestVerdict(until, engine, i) {
  for (let n = until - 1; n >= 0; n--) {
    const of = DATA.nights[n].engines[engine], mark = of ? (of.kept || of.marks)[i] : '.';
    if (isRun(mark) && (of.kept || !isDead(of))) return {mark, night: n};
  }
  return {mark: DATA.earlier[engine] ? DATA.earlier[engine][i] : '.', night: 0};
}
function latestMark(of, engine, i) {
  return of ? latestVerdict(DATA.nights.indexOf(of) + 1, engine, i).mark : '.';
}

function isWorse(before, now) {
  return !isBad(before) && (isBad(now) || (now === 'u' && !'ux'.includes(before)));
}

function sortChange(change, lists) {
  const before = change.before.toLowerCase(), now = change.now.toLowerCase();
  if (now === 'x') lists.flaky.push(change);
  else if (!isRun(now)) {
    if (isRun(before) || now === 'l') lists.not_run.push(change);
  } else if (!isRun(before)) {
    if (isUnexpected(change.now)) lists[lists.first ? 'regressed' : 'first_run'].push(change);
  } else if (isWorse(before, now) || (isBad(before) && !isUnexpected(change.before) && isUnexpected(change.now))
    || (before === now && change.now === 'P' && change.before !== 'P')) {
    lists.regressed.push(change);
  } else if (isBad(before) && now === 'p') lists.fixed.push(change);
  else if (before === now && isUnexpected(change.before) && !isUnexpected(change.now)) lists.now_expected.push(change);
  else if (before !== now && before !== 'x') lists.changed.push(change);
}

// Adds what an earlier nightly run reported and lasts, with the first run of the sequence.
function addLasting(change, before, lists) {
  const isOpen = isUnexpected(change.now) && isUnexpected(change.before);
  const lasts = (mark) => (isOpen ? isUnexpected(mark) : mark === 'u');
  if (!before || !lasts(change.now) || !lasts(change.before)) return;
  let first = DATA.nights.indexOf(before) + 1;
  let last = latestVerdict(first, change.engine, change.case);
  while (lasts(last.mark) && first > 0) {
    first = last.night;
    last = latestVerdict(first, change.engine, change.case);
  }
  change.since = DATA.nights[first].label;
  if (isOpen) lists.open.push(change);
  else if (isRun(last.mark) && isWorse(last.mark, 'u')) lists.support_lost.push(change);
}

const hasOtherOptions = (before, now, name) => Object.keys(now.engines).some((one) =>
  !before.engines[one] && one.split('?')[0] === name.split('?')[0]);

function compareNights(before, now) {
  const lists = {first: !before, regressed: [], first_run: [], fixed: [], changed: [], now_expected: [], flaky: [], not_run: [], open: [],
    support_lost: [], dead: [], gone: []};
  if (now.pruned) return lists;
  const names = new Set(Object.keys(now.engines));
  for (const [name, engine] of Object.entries(before ? before.engines : {})) {
    if (!isDead(engine) && !hasOtherOptions(before, now, name)) names.add(name);
  }
  const otherwise = before && (before.suite !== now.suite || before.tier !== now.tier
    || before.queries !== now.queries);
  const asked = CASES.map((one, i) =>
    Object.values(now.engines).some((engine) => engine.marks[i] !== '.'));
  const gone = new Set();
  for (const engine of [...names].sort()) {
    if (!now.engines[engine] || isDead(now.engines[engine])) {
      lists.dead.push(engine);
      continue;
    }
    for (let i = 0; i < CASES.length; i++) {
      const change = {engine, case: i, before: markOf(before, engine, i), now: markOf(now, engine, i)};
      if (change.now + change.before !== '..') change.before = latestMark(before, engine, i);
      if (otherwise && !asked[i] && isRun(change.before)) gone.add(i);
      else sortChange(change, lists);
      if (change.now !== 'X') addLasting(change, before, lists);
    }
  }
  lists.gone = [...gone];
  return lists;
}

const LISTS = [['regressed', 'New: bad or no longer supported and good before, or expected before'],
  ['first_run', 'First run: not expected, and no verdict before'], ['fixed', 'Fixed'], ['changed', 'Changed: another verdict, neither new nor fixed'],
  ['now_expected', 'No longer unexpected: the same verdict, another list of known failures'],
  ['flaky', 'Flaky: another verdict when repeated'], ['not_run', 'Not run: lost'],
  ['open', 'Still open: not expected today and before'],
  ['support_lost', 'Support lost: unsupported today and before, supported earlier']];
const LASTING = ['open', 'support_lost'];

function changeRow(change, dates) {
  const [before, now] = wordsOf(change.before, change.now);
  return [button(CASES[change.case].address, () => showFailure(change.engine, change.case)),
    change.engine, before, cell(now, classOf(change.now)),
    ...dates.map(() => change.since)];
}

const SHOWN = 200;
function listOf(name, title, changes) {
  const details = make('details', {id: 'list-' + name, class: changes.length ? 'list-full' : null},
    make('summary', {}, `${title}: ${changes.length}`));
  if (!changes.length) return details;
  if (name !== 'not_run') details.open = true;
  const dates = LASTING.includes(name) ? ['since'] : [];
  const rows = changes.slice(0, SHOWN).map((change) => changeRow(change, dates));
  details.append(wide(title, smallTable(['case', 'engine', 'before', 'now', ...dates], rows)));
  if (changes.length > SHOWN) details.append(make('p', {}, `and ${changes.length - SHOWN} more`));
  return details;
}

// Lists the failures that campaigns found: each cause once, new ones first.
function bucketList() {
  const fresh = new Set(DATA.changes.new_buckets.map((one) => one.join('\n')));
  const isFresh = (one) => fresh.has(one.engine + '\n' + one.name);
  const buckets = [...DATA.buckets].sort((a, b) => isFresh(b) - isFresh(a));
  const details = make('details', {id: 'list-buckets', class: fresh.size ? 'list-full' : null},
    make('summary', {}, `Found by campaigns, not reported before: ${fresh.size} (of ${buckets.length})`));
  details.open = fresh.size > 0;
  if (!buckets.length) return details;
  details.append(wide('Found by campaigns',
    smallTable(['what', 'engine', 'module', 'first reported'], buckets.map((one) => [button(one.name, () => showBucket(one)),
      one.engine, one.origin, isFresh(one) ? cell('new', 'bad') : 'before']))));
  return details;
}

function lessPreciseList() {
  const rows = DATA.changes.less_precise;
  const details = make('details', {id: 'list-less_precise', class: rows.length ? 'list-full' : null},
    make('summary', {}, `Less precise, but accepted: ${rows.length}`));
  if (rows.length) {
    details.append(wide('Less precise', smallTable(['function', 'type', 'engine', 'ulps before', 'ulps now'],
      rows.map(([engine, name, type, before, now, label]) => [name, type, engine, before.toFixed(2) + inOlder(label), now.toFixed(2)]))));
  }
  return details;
}

function showLists() {
  const lists = compareNights(nightBefore(), night());
  view.changed = new Set(LISTS.flatMap(([name]) => (LASTING.includes(name) ? [] : lists[name]).map((change) => change.case)));
  const parts = night().pruned ? [make('p', {}, 'Pruned: only counts are kept.')] : [], missing = [];
  for (const problem of night().problems) missing.push(make('pre', {class: 'bad', tabindex: '0'}, problem));
  for (const engine of lists.dead) {
    missing.push(make('p', {class: 'bad', 'data-dead': engine},
      `${engine} ${night().engines[engine] ? 'returned no verdict for any case' : 'is not an engine of this run'}.`));
  }
  const titles = nightBefore() ? {} : {regressed: 'Not as expected'};
  const made = night().pruned ? [] : LISTS.map(([name, title]) => listOf(name, titles[name] || title, lists[name]));
  if (!nightBefore() && lists.not_run.length) missing.push(...made.splice(LISTS.findIndex(([name]) => name === 'not_run'), 1));
  place('#missing', ...missing);
  // The first two lists and the failures of campaigns are what the sentence counts as new.
  const isNewest = view.now === DATA.nights.length - 1;
  parts.push(make('div', {id: 'list-new'}, ...made.slice(0, 2), isNewest ? bucketList() : null), ...made.slice(2));
  if (isDefaultView()) parts.push(lessPreciseList());
  if (lists.gone.length) parts.push(make('p', {}, `Cases that are no longer selected: ${lists.gone.length}.`));
  place('#lists', ...parts);
  return lists;
}
