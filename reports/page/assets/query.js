// SPDX-License-Identifier: Apache-2.0
// Converts the text of the query box into a predicate on one case.
'use strict';
const badOn = (i, engine) => isBad(markOf(night(), engine, i));
// Returns true if all engines with a verdict, and at least two, fail on the case.
function allFail(i) {
  const run = engineNames().filter((name) => isRun(markOf(night(), name, i))
    && markOf(night(), name, i) !== 'u');
  return run.length > 1 && run.every((name) => badOn(i, name));
}
function failsOnlyOn(i, engine) {
  return badOn(i, engine) && engineNames().every((name) => name === engine || !badOn(i, name));
}
function clausesOf(i) { return DATA.case_clauses[CASES[i].name] || []; }

const TERMS = {
  type: (i, value) => CASES[i].type === value,
  op: (i, value) => CASES[i].op === value || CASES[i].operation === value,
  area: (i, value) => CASES[i].area === value,
  clause: (i, value) => clausesOf(i).some((id) => id === value || id.startsWith(value + '.')),
};

// Parses "type=bf16 verdict=fail engine=xla". Without an engine, the verdict of any engine counts.
function questionOf(text) {
  const phrases = [];
  text = text.trim().toLowerCase();
  text = text.replace(/fails? only on (\S+)/g, (all, engine) => {
    phrases.push((i) => engineNames().some((name) => name.toLowerCase() === engine
      && failsOnlyOn(i, name)));
    return '';
  });
  text = text.replace(/all engines fail/g, () => { phrases.push(allFail); return ''; });
  const engines = [], verdicts = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const no = word.startsWith('-') && word.length > 1, term = no ? word.slice(1) : word;
    const [key, value] = term.includes('=') ? [term.slice(0, term.indexOf('=')),
      term.slice(term.indexOf('=') + 1)] : ['', ''];
    let ask = null;
    if (key === 'engine' && !no) engines.push(value);
    else if (key === 'verdict' && !no) verdicts.push(value);
    else if (key === 'verdict') ask = (i) => engineNames().some((e) => wordOf(markOf(night(), e, i)) === value);
    else if (TERMS[key]) ask = (i) => TERMS[key](i, value);
    else if (term === 'unexpected') ask = (i) => engineNames().some((e) => isUnexpected(markOf(night(), e, i)));
    else if (term === 'changed') ask = (i) => view.changed.has(i);
    else ask = (i) => CASES[i].lower.includes(term);
    if (ask) phrases.push(no ? (i) => !ask(i) : ask);
  }
  if (engines.length || verdicts.length) {
    phrases.push((i) => engineNames().some((name) => {
      const mark = markOf(night(), name, i);
      return (!engines.length || engines.includes(name.toLowerCase())) && isRun(mark)
        && (!verdicts.length || verdicts.includes(wordOf(mark)));
    }));
  }
  return (i) => phrases.every((ask) => ask(i));
}
