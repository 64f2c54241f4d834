// SPDX-License-Identifier: Apache-2.0
// Assembles the page and handles the controls.
'use strict';
function showAll() {
  showFacts();
  showLists();
  showEngines();
  showFindings();
  showOperations();
  showCases();
  showCauses();
  showPrecision();
  const reached = reachedClauses();
  showUnchecked(reached);
  showClauses(reached);
  showTrends();
}

function quickQueries() {
  const queries = ['unexpected', 'changed', 'all engines fail',
    ...engineNames().map((engine) => `fails only on ${engine}`)];
  place('#quick', ...queries.flatMap((text) => [button(text, () => {
    document.getElementById('query').value = text;
    ask(text);
  }), ' ']));
}

function nightChoice(id, chosen, none) {
  const select = document.getElementById(id);
  select.replaceChildren(...(none ? [make('option', {value: '-1'}, 'nothing')] : []),
    ...DATA.nights.map((one, i) => make('option', {value: String(i)}, one.label)));
  select.value = String(Math.max(chosen, none ? -1 : 0));
  select.addEventListener('change', () => {
    view[id] = +select.value;
    showAll();
    quickQueries();
  });
}

function theme(to) {
  document.documentElement.dataset.theme = to;
  document.getElementById('theme').textContent = to === 'dark' ? 'Light' : 'Dark';
  try { localStorage.setItem('hlocts-theme', to); } catch (error) { /* a page without a store */ }
}
function startTheme() {
  let kept = null;
  try { kept = localStorage.getItem('hlocts-theme'); } catch (error) { /* none */ }
  theme(kept || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
  document.getElementById('theme').addEventListener('click', () => {
    theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
    showTrends();
  });
}

function start() {
  startTheme();
  $.fn.dataTable.ext.errMode = 'throw';
  $.fn.dataTable.ext.search.push((settings, words, at) =>
    !settings.nTable.closest('#cases') || question(at));
  // In a first run everything is new: causes precede the list of all cases and follow what is missing.
  const today = document.getElementById('today');
  if (!DATA.changes.since) today.querySelector('h2').textContent = 'Not as expected';
  if (!DATA.changes.since && DATA.changes.regressed.length) today.before(document.getElementById('causes'));
  for (const section of document.querySelectorAll('main > section')) {
    document.getElementById('parts').append(make('li', {}, make('a', {href: '#' + section.id},
      section.querySelector('h2').textContent)));
  }
  nightChoice('now', view.now, false);
  nightChoice('before', view.before, true);
  showAll();
  quickQueries();
  const query = document.getElementById('query');
  let waiting = 0;
  query.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => ask(query.value), 60);
  });
  document.getElementById('search').addEventListener('submit', (event) => {
    event.preventDefault();
    ask(query.value);
  });
  document.getElementById('bytype').addEventListener('change', showOperations);
  document.getElementById('close').addEventListener('click', () => document.getElementById('failure').close());
  document.addEventListener('keydown', (event) => {
    const link = event.target.closest && event.target.closest('.paginate_button');
    if (link && (event.key === ' ' || event.key === 'Enter')) { event.preventDefault(); link.click(); }
    if (event.key === '/' && !/INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) { event.preventDefault(); query.focus(); }
  });
  document.documentElement.dataset.ready = '1';
}
start();
