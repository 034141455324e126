// Search on a static site: uses MiniSearch with a single prebuilt file, and shows the same
// results page that the server renders.
const form = document.querySelector('form[data-live]');
const field = form.elements.q;
const results = document.getElementById('results');
const {index: file, engine, root} = field.dataset;
const perPage = 20;
const mostValues = 10;
let filters = []; // as the search file describes them: {name, title, types, titles}
let plurals = {}; // of the types
const orders = {relevance: 'Best match', score: 'Highest score', name: 'Name', updated: 'Latest change'};
const compare = new Intl.Collator('en', {sensitivity: 'base'}).compare;

// Removes case and diacritics so that names can be compared, like the server's index.
const fold = s => s.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
// Formats short strings in the same way as package textfmt.
const hidden = /[\u202a-\u202e\u2060-\u206f\u200e\u200f\u061c\u200b\u2028\u2029\ufeff\u3164\u00ad\u{e0000}-\u{e007f}]/gu;
const clean = s => [...s.replace(hidden, ' ').replace(/[\s\p{Cc}\ufffd]+/gu, ' ').trim()];
const named = s => (c => c.slice(0, 120).join('') + (c.length > 120 ? '…' : ''))(clean(s));
// Looks up only an object's own properties: every object inherits "constructor" and other names.
const own = (table, word) => (Object.hasOwn(table, word) ? table[word] : undefined);

let ready = null; // the entities and the engine, loaded by the first search
function load() {
  ready ??= Promise.all([import(engine), fetch(file).then(a => { if (!a.ok) throw new Error(a.status); return a.json(); })])
    .then(async ([{default: MiniSearch}, data]) => {
      const list = data.rows.map((row, id) => {
        const e = Object.fromEntries(data.fields.map((f, i) => [f, row[i]]));
        return {...e, id, title: own(data.categories, e.category) ?? e.category, score: e.composite, updated: e.lastUpdated};
      });
      ({filters, types: plurals} = data);
      const mini = new MiniSearch({
        fields: ['name', 'slug', 'provider', 'title', 'tags', 'description'], storeFields: [],
        extractField: (e, name) => name === 'tags' ? e.tag.join(' ') : e[name],
        processTerm: fold,
        searchOptions: {
          boost: {name: 6, slug: 3, tags: 2, provider: 2},
          prefix: term => term.length > 1, fuzzy: term => term.length > 3 && !/\d/.test(term) ? 0.2 : false,
          boostDocument: id => 1 + (list[id].score ?? 0) / 200,
          weights: {fuzzy: 0.3, prefix: 0.6},
        },
      });
      await mini.addAllAsync(list, {chunkSize: 500});
      return {list, mini, titles: data.categories, synonyms: grouped(data.synonyms)};
    });
  return ready;
}

const words = s => fold(s).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
const singular = w => (w.length > 3 && w.endsWith('s') && !/[us]s$/.test(w) ? w.slice(0, -1) : w);

// Returns the groups of words that mean the same: the entries with their words, longest first.
function grouped(groups) {
  return groups.flatMap(g => {
    const entries = g.map(words).filter(e => e.length);
    return entries.map(e => ({key: e.map(singular).join(' '), length: e.length, others: entries.filter(o => o !== e)}));
  }).sort((a, b) => b.length - a.length);
}

// Returns a query for the engine in which a synonym can stand for each word or phrase.
const mostExpansions = 4;
function expanded(text, synonyms, combineWith) {
  const list = words(text), queries = [];
  let expansions = 0;
  for (let at = 0; at < list.length;) {
    const s = expansions < mostExpansions
      ? synonyms.find(s => list.slice(at, at + s.length).map(singular).join(' ') === s.key) : undefined;
    const typed = {combineWith, queries: list.slice(at, at + (s?.length ?? 1))};
    if (s) {
      const exact = {prefix: false, fuzzy: false, boostTerm: () => 0.8};
      queries.push({combineWith: 'OR', queries: [typed, ...s.others.map(o => ({combineWith: 'AND', queries: o, ...exact}))]});
      expansions++;
    } else {
      queries.push(typed);
    }
    at += s?.length ?? 1;
  }
  return {combineWith, queries};
}

// Marks the matched terms in a text.
function marked(text, terms) {
  const out = document.createDocumentFragment();
  let end = 0;
  for (const m of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (!terms.has(fold(m[0]))) continue;
    out.append(text.slice(end, m.index), element('mark', {}, m[0]));
    end = m.index + m[0].length;
  }
  out.append(text.slice(end));
  return out;
}

function element(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) if (v !== null && v !== undefined) e.setAttribute(k, v);
  e.append(...children);
  return e;
}

const svg = (name, attributes, ...children) => {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
};

const path = e => root + e.type + '/' + e.slug + '/';

function row(e, terms) {
  const head = element('p', {class: 'row-head'}, element('a', {class: 'row-name', href: path(e)}, element('bdi', {}, marked(e.name, terms))));
  if (e.provider) head.append(' ', element('span', {class: 'row-by'}, element('bdi', {}, marked(e.provider, terms))));
  const meta = element('p', {class: 'row-meta'}, e.type + ' · ' + e.title);
  const tags = e.tag.filter(t => t.split(/[^\p{L}\p{N}\p{M}]+/u).some(w => terms.has(fold(w))));
  if (tags.length) meta.append(' · Tags: ', element('bdi', {}, marked(tags.join(', '), terms)));
  const score = element('div', {class: 'score'});
  if (e.score !== null) {
    const box = {viewBox: '0 0 100 4', preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false', class: 'bar'};
    score.append(element('span', {class: 'score-number num'}, e.score.toFixed(1)),
      svg('svg', box, svg('rect', {class: 'bar-track', width: 100, height: 4, rx: 2}), svg('rect', {class: 'bar-fill', width: e.score, height: 4, rx: 2})));
  }
  return element('li', {class: 'row'}, element('div', {class: 'row-main'}, head,
    element('p', {class: 'row-text', dir: 'auto'}, marked(e.description, terms)), meta), score);
}

// Returns the URL of the current search after a change to its query.
function address(query, change) {
  const q = new URLSearchParams(query);
  change(q);
  return location.pathname + (q.size ? '?' + q : '');
}

// Returns the part of a query that the page applies, with the same limits as the
// server: each value only once, and a limited number of values.
const mostChosen = 20;
const longestChosen = 2000; // maximum number of characters in all values together
function bounded(asked) {
  const query = new URLSearchParams();
  let chosen = 0, room = longestChosen, tooMany = false;
  for (const {name: f} of filters) {
    for (const v of new Set(asked.getAll(f))) {
      if (!v) continue;
      if (chosen === mostChosen || v.length > room) { tooMany = true; break; }
      query.append(f, v);
      chosen++;
      room -= v.length;
    }
  }
  for (const [name, most] of [['q', 500], ['sort', 20], ['page', 20]]) if (asked.get(name)) query.set(name, asked.get(name).slice(0, most));
  return {query, tooMany};
}

function narrowed(list, query) {
  return list.filter(e => filters.every(({name: f}) => query.getAll(f).every(v => [].concat(e[f]).some(x => fold(x) === fold(v)))));
}

// Reports whether a filter concerns the chosen type or, if none is chosen, all types.
const concerns = (f, chosen) => (chosen.length === 1 ? chosen : Object.keys(plurals)).every(t => f.types.includes(t));

function facetSection(filter, found, query, titles) {
  const f = filter.name;
  const counts = new Map();
  for (const e of found) for (const v of [].concat(e[f])) if (v) counts.set(v, (counts.get(v) ?? 0) + 1);
  const chosen = query.getAll(f);
  if (f === 'type' && chosen.length < 2) return null;
  if (!chosen.length && !concerns(filter, query.getAll('type'))) return null;
  if (counts.size < 2 && !(chosen.length && counts.size)) return null;
  const values = [...counts].sort((a, b) => b[1] - a[1] || compare(a[0], b[0])).slice(0, mostValues);
  return element('section', {'aria-label': filter.title}, element('h2', {}, filter.title), element('ul', {}, ...values.map(([v, n]) => {
    const on = chosen.some(c => fold(c) === fold(v));
    const to = address(query, q => { q.delete('page'); if (on) q.delete(f, v); else q.append(f, v); });
    return element('li', {}, element('a', {href: to, 'aria-current': on ? 'true' : null}, element('bdi', {}, title(filter, v, titles))), ' ',
      element('span', {class: 'num quiet'}, n.toLocaleString('en')));
  })));
}

const title = (filter, v, titles) => named((filter.name === 'category' ? own(titles, v) : own(filter.titles, v)) ?? v);

// Returns the choice of a type. Choosing one drops the filters that do not concern it.
function typeChips(found, query) {
  const types = Object.keys(plurals);
  const chosen = query.getAll('type');
  if (!found.length || types.length < 2 || chosen.length > 1) return [];
  const chip = (type, text) => {
    const count = type && found.filter(e => e.type === type).length;
    if (type && !chosen.length && !count) return [];
    const to = address(query, q => {
      q.delete('page');
      for (const f of filters) if (!concerns(f, type ? [type] : [])) q.delete(f.name);
      q.delete('type');
      if (type) q.set('type', type);
    });
    const a = element('a', {class: 'chip', href: to, 'aria-current': (type ? chosen.includes(type) : !chosen.length) ? 'true' : null}, text);
    if (count) a.append(' ', element('span', {class: 'num'}, count.toLocaleString('en')));
    return [a, ' '];
  };
  return [element('nav', {class: 'chips choose-type', 'aria-label': 'Type'}, ...chip('', 'All'), ...types.flatMap(t => chip(t, plurals[t])))];
}

function search(mini, list, text, synonyms) {
  const ids = new Set(list.map(e => e.id));
  const options = {filter: r => ids.has(r.id)};
  for (const combineWith of ['AND', 'OR']) {
    const hits = mini.search(expanded(text, synonyms, combineWith), options);
    if (hits.length) return hits;
  }
  return [];
}

function near(all, mini, text, synonyms, narrowedDown) {
  let hits = narrowedDown ? search(mini, all, text, synonyms) : [];
  if (!hits.length) hits = mini.search(text, {fields: ['name', 'slug'], fuzzy: 0.45, prefix: true, combineWith: 'OR'});
  return hits.slice(0, 5).map(h => all[h.id]);
}

const several = (n, one, many) => n.toLocaleString('en') + ' ' + (n === 1 ? one : many);

function render({list: all, mini, titles, synonyms}) {
  const {query, tooMany} = bounded(new URLSearchParams(location.search));
  const text = query.get('q') ?? '';
  const browse = !text.trim();
  const within = narrowed(all, query);
  const terms = new Set();
  let found = within;
  if (!browse) {
    found = search(mini, within, text, synonyms).map(h => { for (const t of h.terms) terms.add(t); return all[h.id]; });
  }
  const sort = Object.hasOwn(orders, query.get('sort')) ? query.get('sort') : browse ? 'score' : 'relevance';
  const order = browse && sort === 'relevance' ? 'score' : sort;
  if (order === 'score') found = found.toSorted((a, b) => a.id - b.id);
  if (order === 'name') found = found.toSorted((a, b) => compare(a.name, b.name));
  if (order === 'updated') found = found.toSorted((a, b) => compare(b.updated ?? '', a.updated ?? ''));
  const page = Math.max(1, Math.min(500, Math.ceil(found.length / perPage), Number.parseInt(query.get('page') ?? '1', 10) || 1));
  const shown = found.slice((page - 1) * perPage, page * perPage);

  const says = browse ? several(found.length, 'entity', 'entities') + (order === 'score' ? ', highest score first' : '')
    : found.length ? several(found.length, 'result', 'results') : 'Nothing found for “' + named(text) + '”';
  const head = element('div', {class: 'results-head'}, element('p', {class: 'results-count num', role: 'status', 'aria-live': 'polite'}, says));
  if (found.length) {
    const sorts = element('p', {class: 'sorts', role: 'group', 'aria-label': 'Order'});
    for (const [k, v] of Object.entries(orders)) {
      if (browse && k === 'relevance') continue;
      sorts.append(element('a', {href: address(query, q => { q.delete('page'); q.set('sort', k); }), 'aria-current': k === order ? 'true' : null}, v), ' ');
    }
    head.append(sorts);
  }
  const chosen = element('p', {class: 'chips chosen'});
  const types = typeChips(found, query);
  for (const filter of filters) {
    const f = filter.name;
    if (f === 'type' && types.length) continue; // the choice of types shows it
    for (const v of query.getAll(f)) {
      chosen.append(element('a', {class: 'chip chosen-chip', href: address(query, q => { q.delete('page'); q.delete(f, v); }), 'aria-label': 'Remove ' + title(filter, v, titles)},
        element('bdi', {}, title(filter, v, titles)), ' ×'), ' ');
    }
  }
  const sections = filters.map(f => facetSection(f, found, query, titles)).filter(Boolean);
  const body = element('div', {class: 'results-body'});
  if (sections.length) {
    const open = results.querySelector('details[data-facets]')?.open || wide.matches;
    body.append(element('details', {class: 'facets', 'data-facets': '', open: open ? '' : null}, element('summary', {}, 'Filters'), ...sections));
  }
  const hits = element('div', {class: 'hits'});
  if (shown.length) hits.append(element('ol', {class: 'rows', 'data-hits': ''}, ...shown.map(e => row(e, terms))));
  if (!found.length && !browse) {
    const instead = near(all, mini, text, synonyms, within.length < all.length);
    if (instead.length) {
      hits.append(element('h2', {}, within.length < all.length ? 'Matches without the filters' : 'Did you mean'),
        element('ul', {class: 'near'}, ...instead.map(e => element('li', {}, element('a', {href: path(e)}, element('bdi', {}, e.name)), ' ',
          element('span', {class: 'quiet'}, e.title)))));
    } else {
      hits.append(element('p', {class: 'empty'}, 'Try fewer or different words. You can also browse ', element('a', {href: root + 'categories/'}, 'all categories'), ', ',
        element('a', {href: root + 'providers/'}, 'providers'), ' and ', element('a', {href: root + 'tags/'}, 'tags'), '.'));
    }
  }
  if (page > 1 || found.length > page * perPage) {
    const pager = element('nav', {class: 'pager', 'aria-label': 'Pages'});
    pager.append(page > 1 ? element('a', {rel: 'prev', href: address(query, q => q.set('page', page - 1))}, '← Previous') : element('span', {}));
    if (found.length > page * perPage) pager.append(element('a', {rel: 'next', href: address(query, q => q.set('page', page + 1))}, 'Next →'));
    hits.append(pager);
  }
  body.append(hits);
  const applied = element('p', {class: 'quiet', role: 'status'}, 'Too many filters: only the filters shown here are applied.');
  results.replaceChildren(head, ...types, ...(chosen.childNodes.length ? [chosen] : []), ...(tooMany ? [applied] : []), body);
  for (const e of form.querySelectorAll('input[type=hidden]')) e.remove();
  for (const f of [...filters.map(f => f.name), 'sort']) for (const v of query.getAll(f)) form.append(element('input', {type: 'hidden', name: f, value: v}));
}

const wide = matchMedia('(min-width: 60rem)');
async function show() {
  try {
    render(await load());
  } catch (e) {
    ready = null;
    results.replaceChildren(element('p', {class: 'empty', role: 'status'}, 'The search file could not be loaded. Try again in a moment.'));
    console.error(e);
  }
}

function typed() {
  const q = new URLSearchParams(new FormData(form));
  for (const [k, v] of [...q]) if (v === '') q.delete(k, v);
  return location.pathname + (q.size ? '?' + q : '');
}

field.value = new URLSearchParams(location.search).get('q') ?? '';
let timer = 0;
field.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(() => { history.replaceState(null, '', typed()); show(); }, 80);
});
form.addEventListener('submit', e => {
  e.preventDefault();
  clearTimeout(timer);
  history.pushState(null, '', typed());
  show();
});
results.addEventListener('click', e => {
  const a = e.target.closest('a');
  if (!a || e.ctrlKey || e.metaKey || e.shiftKey || e.button || a.origin !== location.origin || a.pathname !== location.pathname) return;
  e.preventDefault();
  history.pushState(null, '', a.href);
  show().then(() => field.focus());
});
addEventListener('popstate', () => {
  field.value = new URLSearchParams(location.search).get('q') ?? '';
  show();
});
document.addEventListener('keydown', e => {
  const list = [...results.querySelectorAll('.hits a.row-name, .hits .near a')];
  const at = list.indexOf(document.activeElement);
  const inField = document.activeElement === field;
  if (e.key === 'ArrowDown' && (inField || at >= 0) && at + 1 < list.length) list[at + 1].focus();
  else if (e.key === 'ArrowUp' && at >= 0) (list[at - 1] ?? field).focus();
  else if (e.key === 'Escape' && at >= 0) field.focus();
  else return;
  e.preventDefault();
});
if (!matchMedia('(pointer: coarse)').matches) {
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length); // caret at the end
}
show();
