// Renders the comparison of a static site. Reads the files of the entities named in the URL
// and shows the same table as an edge.
const form = document.querySelector('form[data-compare]');
const place = document.getElementById('comparison');
const words = document.querySelector('template[data-skeleton]').content;
const most = Number(document.querySelector('template[data-skeleton]').dataset.most);
const longest = 100; // maximum length, in characters, of a name to look up
const root = form.dataset.root;
const say = new Map([...words.querySelectorAll('[data-values] [data-value]')].map(e => [e.dataset.value, e.textContent]));
const boards = new Map([...words.querySelectorAll('[data-categories] a')].map(a => [a.dataset.value, a]));

// Formats names, numbers and days in the same way as package textfmt.
const hidden = /[\u202a-\u202e\u2060-\u206f\u200e\u200f\u061c\u200b\u2028\u2029\ufeff\u3164\u00ad\u{e0000}-\u{e007f}]/gu;
const clean = s => String(s ?? '').replace(hidden, ' ').replace(/[\s\p{Cc}\ufffd\u0085]+/gu, ' ').trim();
const cut = (s, n) => ([...s].length > n ? [...s].slice(0, n).join('').replace(/ +$/, '') + '…' : s);
const named = s => cut(clean(s), 120);
const upper = s => s.slice(0, 1).toUpperCase() + s.slice(1);
const label = s => say.get(s) ?? upper(clean(s));
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
function day(s) {
  const [, y, m, d] = /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(s ?? '') ?? [];
  if (!y || !months[m - 1]) return clean(s);
  return (d ? `${Number(d)} ` : '') + `${months[m - 1]} ${y}`;
}
function count(x) {
  if (!Number.isInteger(x)) return String(x);
  return (x < 0 ? '−' : '') + String(Math.abs(x)).replace(/\B(?=(\d{3})+$)/g, ',');
}
function compact(x) {
  for (const [from, by, sign] of [[1e12, 1e12, 'T'], [1e9, 1e9, 'B'], [1e6, 1e6, 'M'], [1e4, 1e3, 'k']]) {
    if (Math.abs(x) < from) continue;
    const v = x / by;
    return v.toFixed(Math.abs(v) >= 99.95 ? 0 : 1).replace(/\.0$/, '') + sign;
  }
  return count(x);
}

const make = (tag, text = '', more = {}) => Object.assign(document.createElement(tag), {textContent: text}, more);
const key = e => `${e.type}/${e.slug}`;
const pathOf = k => `${root}${k.split('/').map(encodeURIComponent).join('/')}/`;
const compareWith = keys => form.action.split('?')[0] + (keys.length ? '?' + keys.map(k => 'e=' + encodeURIComponent(k).replaceAll('%2F', '/')).join('&') : '');

function bar(value) {
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  const set = (e, list) => { for (const [k, v] of Object.entries(list)) e.setAttribute(k, v); return e; };
  set(svg, {class: 'bar', viewBox: '0 0 100 4', preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false'});
  svg.append(set(document.createElementNS(ns, 'rect'), {class: 'bar-track', width: 100, height: 4, rx: 2}),
    set(document.createElementNS(ns, 'rect'), {class: 'bar-fill', width: value.toFixed(1), height: 4, rx: 2}));
  return svg;
}

// Facts of models, in the words of the pages of an edge.
function dollars(x) {
  const [whole, decimals] = x.toFixed(6).replace(/0{1,4}$/, '').split('.');
  return `$${count(Number(whole))}.${decimals}`;
}
const price = p => [[p?.input, 'input'], [p?.output, 'output']].filter(([x]) => typeof x === 'number').map(([x, name]) => `${dollars(x)} ${name}`).join(', ');
const priceDay = e => (e.offers ?? []).filter(o => (e.price?.provider ? o.provider === e.price.provider : !o.deprecated)).map(o => o.date).filter(Boolean).sort()[0];
// amount formats a number of a declared field, as textfmt.Value does.
function amount(x, type) {
  if (type === 'count') return compact(x);
  if (type === 'year') return String(x);
  if (type === 'size') {
    const [unit, sign] = [[1e15, 'PB'], [1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']].find(([n]) => x >= n) ?? [1, 'B'];
    return `${Number((x / unit).toFixed(2))} ${sign}`;
  }
  if (type === 'duration') {
    let text = '';
    for (const [seconds, unit] of [[86400, 'd'], [3600, 'h'], [60, 'm']]) {
      if (x >= seconds) text += Math.floor(x / seconds) + unit;
      x %= seconds;
    }
    return x > 0 || !text ? `${text}${x}s` : text;
  }
  const [whole, decimals] = String(Math.abs(x)).split('.');
  return (x < 0 ? '-' : '') + count(Number(whole)) + (decimals ? '.' + decimals : '');
}
// declared formats the value of a declared field, such as parameters.total.
function declared(e, path, type, part) {
  const v = path.split('.').reduce((of, name) => of?.[name], e);
  const one = x => {
    if (typeof x === 'boolean') return x ? 'Yes' : 'No';
    if (typeof x === 'number') return amount(x, type);
    return say.get(`${path} ${x}`) ?? (type === 'date' || type === 'month' && x?.length > 4 ? day(x) : named(x));
  };
  if (type?.startsWith('reference')) return refer([v ?? []].flat());
  if (part) return {text: one(v?.[part]), note: day(v?.date)};
  if (Array.isArray(v)) return {text: named(v.map(one).join(', '))};
  if (typeof v !== 'object' || !v) return {text: one(v)};
  const [from, to] = [v.from, v.to].map(x => one(x ?? undefined));
  if (!from || !to) return {text: from ? `from ${from}` : to && `up to ${to}`};
  return {text: from === to ? from : `${from} to ${to}`};
}
// refer returns links to entities, by their names.
const names = new Map();
function refer(keys) {
  const links = keys.map(k => ({text: names.get(k) ?? named(k), to: pathOf(k)}));
  return {text: links.map(l => l.text).join(', '), links};
}

// The rows: the value of each entity for a field, as {text, to, note, list, score}.
const facts = {
  type: e => ({text: label(e.type)}),
  provider: e => ({text: named(e.provider)}),
  category: e => { const a = boards.get(e.category); return {text: a?.textContent ?? named(e.category), to: a?.href}; },
  version: e => ({text: named(e.version), note: day(e.signals.lastRelease?.date)}),
  pricingModel: e => ({text: e.pricingModel ? label(e.pricingModel) : ''}),
  price: e => ({text: price(e.price), number: e.price?.blended, note: day(priceDay(e))}),
  license: e => ({text: named(e.license)}),
  maintenance: e => ({text: upper(e.maintenance ?? ''), note: day(e.maintenanceAsOf)}),
  retires: e => ({text: day(e.lifecycle?.retires)}),
  replacedBy: e => refer([e.lifecycle?.replacedBy ?? []].flat()),
  addedDate: e => ({text: day(e.addedDate)}),
  lastUpdated: e => ({text: day(e.lastUpdated)}),
  status: e => ({text: label(e.status)}),
};
// mark marks the best number among entities of one type, if that is one of the given types: other numbers
// cannot be compared.
function mark(cells, list, types, least) {
  const known = cells.map(c => c.number).filter(n => typeof n === 'number');
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const alike = types.includes(list[0].type) && list.every(e => e.type === list[0].type);
  if (alike && known.length > 1 && low < high) for (const c of cells) c.best = c.number === (least ? low : high);
  return cells;
}
function score(name, e) {
  const n = e.scores[name];
  return n === null ? {text: ''} : {text: n.toFixed(1), score: n, number: n};
}
function signal(f) {
  if (!f) return {text: ''};
  return typeof f.value === 'number' ? {text: compact(f.value), number: f.value, note: day(f.date)} : {text: day(f.value), note: day(f.date)};
}
// folded returns the name of a result with its details in parentheses, like
// record.Benchmark.FoldedName.
function folded(b) {
  const by = b.by === 'maker' ? (b.publisher ? `${b.publisher} comparison` : 'maker') : b.publisher;
  const details = [by, b.version, b.dataset, b.harness, b.variant].filter(Boolean);
  return details.length ? `${b.name} (${details.join(', ')})` : b.name;
}

function benchmarks(list) {
  const having = new Map();
  for (const e of list) for (const n of new Set((e.signals.benchmarks ?? []).map(folded))) having.set(n, (having.get(n) ?? 0) + 1);
  return [...having].filter(([, n]) => n > 1).map(([n]) => n).sort((a, b) => (a < b ? -1 : 1)).map(n => ({
    field: `benchmark-${named(n)}`, title: named(n),
    cells: list.map(e => {
      const b = (e.signals.benchmarks ?? []).filter(b => folded(b) === n).reduce((a, b) => (a && (a.date ?? '') >= (b.date ?? '') ? a : b), null);
      return b ? {text: compact(b.value), note: day(b.date)} : {text: ''};
    }),
  }));
}
function topics(field, list, alone) {
  const [of, which] = field.split('-');
  const values = list.map(e => (of === 'tag' ? e.tags : e.capabilities));
  const shared = list.length > 1 ? values[0].filter(v => values.every(l => l.includes(v))) : [];
  if (which === 'common') return shared.length ? {common: shared.map(named)} : null;
  return {...(shared.length ? {} : {title: alone}), cells: values.map(l => l.filter(v => !shared.includes(v)).map(named)).map(l => ({text: l.join(', '), list: l}))};
}
function rowOf({field, alone, best, least, unit, type, part}, title, list) {
  const row = {field, title, unit};
  if (facts[field]) row.cells = list.map(facts[field]);
  else if (field.startsWith('field-')) row.cells = list.map(e => declared(e, field.slice(6), type, part));
  else if (field.startsWith('signal-')) row.cells = list.map(e => signal(e.signals[field.slice(7)]));
  else if (field.startsWith('tag-') || field.startsWith('capability-')) return {...row, ...(topics(field, list, alone) ?? {cells: []})};
  else row.cells = list.map(e => score(field, e));
  if (best) mark(row.cells, list, best.split(' '), least !== undefined);
  return row;
}
const keep = row => row.common || row.cells.some(c => c.text !== '');

function topicList(list) {
  const span = make('span', '', {className: 'topics'});
  list.forEach((t, i) => span.append(i ? ', ' : '', make('bdi', t)));
  return span;
}
function cellOf(c) {
  const td = make('td', '', {className: c.best ? 'best' : ''});
  if (c.list?.length) { td.append(topicList(c.list)); return td; }
  if (!c.text) {
    const none = make('span', '–');
    none.setAttribute('aria-hidden', 'true');
    td.append(none, make('span', 'unknown', {className: 'unseen'}));
    return td;
  }
  const value = make('span', '', {className: 'value num'});
  const links = c.links ?? (c.to ? [c] : []);
  links.forEach((l, i) => value.append(i ? ', ' : '', make('a', l.text, {href: l.to})));
  if (!links.length) value.append(make('bdi', c.text));
  td.append(value);
  if (c.best) td.append(' ', make('span', 'best', {className: 'best-mark'}));
  if (c.note) td.append(' ', make('span', c.note, {className: 'note num'}));
  if (typeof c.score === 'number') td.append(bar(c.score));
  return td;
}
function tableRow(row, columns, group, id) {
  const tr = make('tr');
  tr.dataset.field = row.field;
  const head = make('th', row.title, {scope: 'row', id});
  if (row.unit) head.append(' ', make('span', row.unit, {className: 'b-note'}));
  tr.append(head);
  if (row.common) {
    const td = make('td', '', {colSpan: columns});
    td.append(topicList(row.common));
    tr.append(td);
  } else {
    tr.append(...row.cells.map(cellOf));
  }
  // The headers of a cell are its group, its row, and its column (or all columns if it spans
  // all of them).
  [...tr.querySelectorAll('td')].forEach((td, i) => {
    const heads = row.common ? Array.from({length: columns}, (_, c) => `c${c}`) : [`c${i}`];
    td.setAttribute('headers', [group, id, ...heads].join(' '));
  });
  if (row.common || columns > 1 && row.cells.every(c => c.text === row.cells[0].text)) tr.dataset.same = '';
  return tr;
}
function tableOf(list) {
  const table = make('table', '', {className: 'compare'});
  table.dataset.comparison = '';
  table.append(make('caption', 'Side by side', {className: 'unseen'}));
  const head = table.createTHead().insertRow();
  head.append(make('td'));
  const keys = list.map(key);
  for (const e of list) {
    const th = make('th', '', {scope: 'col', id: `c${head.cells.length - 1}`});
    th.dataset.key = key(e);
    const name = make('a', '', {className: 'compare-name', href: pathOf(key(e))});
    name.append(make('bdi', named(e.name)));
    const remove = make('a', 'Remove', {className: 'compare-remove', href: compareWith(keys.filter(k => k !== key(e)))});
    remove.setAttribute('aria-label', `Remove ${named(e.name)}`);
    th.append(name, ' ', remove);
    head.append(th);
  }
  for (const group of words.querySelectorAll('[data-group]')) {
    const rows = group.dataset.group === 'benchmarks' ? benchmarks(list)
      : [...group.querySelectorAll('[data-field]')].map(f => rowOf(f.dataset, f.textContent, list)).filter(keep);
    if (!rows.length) continue;
    const body = table.createTBody(), number = table.tBodies.length - 1;
    body.dataset.group = group.dataset.group;
    const title = body.insertRow();
    title.className = 'compare-group';
    title.append(make('th', group.dataset.title, {scope: 'rowgroup', id: `g${number}`, colSpan: list.length + 1}));
    body.append(...rows.map((r, i) => tableRow(r, list.length, `g${number}`, `r${number}-${i}`)));
  }
  return table;
}

// Names come from the search file.
let reading = null;
function index() {
  reading ??= fetch(form.dataset.names).then(a => { if (!a.ok) throw new Error(String(a.status)); return a.json(); }).then(file => {
    const at = Object.fromEntries(file.fields.map((f, i) => [f, i]));
    return file.rows.map(r => ({type: r[at.type], slug: r[at.slug], name: r[at.name], category: Object.hasOwn(file.categories, r[at.category]) ? file.categories[r[at.category]] : r[at.category],
      folded: fold(r[at.name]), words: fold(r[at.name]).split(/[^\p{L}\p{N}]+/u)}));
  });
  reading.catch(() => { reading = null; });
  return reading;
}
const fold = s => String(s).normalize('NFKD').replace(/\p{Mn}/gu, '').toLowerCase();
async function matching(text, exact) {
  const wanted = fold(text), all = await index();
  if (exact) {
    const own = all.filter(e => key(e) === text);
    if (own.length) return own;
    const same = all.filter(e => e.folded === wanted);
    return same.length ? same : all.filter(e => e.slug === wanted);
  }
  return all.filter(e => e.folded.startsWith(wanted) || e.words.some(w => w.startsWith(wanted)) || e.slug.startsWith(wanted));
}
async function nearTo(text) {
  for (let t = text.slice(0, longest); t.length > 2; t = t.slice(0, -1)) {
    const found = await matching(t, false);
    if (found.length) return found;
  }
  return [];
}
function listOf(found, keys) {
  const ul = make('ul', '', {className: 'near'});
  for (const e of found.filter(e => !keys.includes(key(e))).slice(0, 8)) {
    const li = make('li');
    const a = make('a', '', {href: compareWith([...keys, key(e)])});
    a.append(make('bdi', named(e.name)));
    li.append(a, ' ', make('span', `${e.type} · ${named(e.category)}`, {className: 'quiet'}));
    ul.append(li);
  }
  return ul;
}
function notice(before, text, after, list) {
  const box = make('div', '', {className: 'compare-notice'});
  box.setAttribute('role', 'status');
  const p = make('p', before);
  p.append(make('bdi', named(text)), after);
  box.append(p, ...(list?.children.length ? [list] : []));
  place.before(box);
}

async function read(k) {
  if (!/^[a-z]+\/[a-z0-9-]{1,200}$/.test(k)) return null; // not a valid slug: no such file
  const answer = await fetch(`${pathOf(k)}entity.json`);
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

async function show() {
  const query = new URLSearchParams(location.search);
  const keysAsked = [...new Set(query.getAll('e').map(k => k.trim()).filter(Boolean))];
  const asked = keysAsked.slice(0, 4 * most); // limits how many entities a hand-written URL can request
  const add = clean(query.get('add')).slice(0, longest);
  const unknown = [];
  const list = [];
  const take = async k => {
    const e = list.length < most ? await read(k) : null;
    if (!e) return false;
    if (!list.some(x => key(x) === key(e))) list.push(e);
    return true;
  };
  let tooMany = asked.length < keysAsked.length;
  for (const k of asked) {
    if (list.length >= most) { tooMany = true; break; }
    if (!await take(k)) unknown.push(k);
  }
  const keys = () => list.map(key);
  for (const k of unknown) {
    const near = list.length >= most ? [] : await nearTo((k.split('/')[1] ?? k).replaceAll('-', ' ')).catch(() => []);
    notice('“', k, near.length ? '” was not found. Did you mean:' : '” was not found.', listOf(near.slice(0, 5), keys()));
  }
  if (tooMany) place.before(make('p', 'You can compare up to four entities; only the first four are shown.', {className: 'compare-notice'}));
  if (add && list.length < most) {
    const found = await matching(add, true);
    if (found.length === 1 && await take(key(found[0]))) {
      history.replaceState(null, '', compareWith(keys()));
    } else {
      const may = found.length ? found : await nearTo(add);
      notice(may.length ? 'Which “' : 'No entry is named “', add, may.length ? '” do you mean?' : '”.', listOf(may, keys()));
      form.elements.add.value = add;
    }
  }
  if (!list.length) return;
  for (const e of await index().catch(() => [])) names.set(key(e), named(e.name)); // without them, entities are named by their addresses
  for (const k of keys()) form.prepend(make('input', '', {type: 'hidden', name: 'e', value: k}));
  form.append(...[...form.querySelectorAll('input[type=hidden]')].reverse()); // in the order of the columns
  form.querySelector('label').textContent = 'Add another';
  form.hidden = list.length >= most;
  document.querySelector('[data-ready]')?.remove();
  document.querySelector('.page-head .lead')?.remove();
  const heading = document.querySelector('h1');
  heading.append(make('span', ' ' + list.map(e => named(e.name)).join(', '), {className: 'unseen'}));
  const scroll = make('div', '', {className: 'compare-scroll', tabIndex: 0});
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', 'Comparison');
  scroll.append(tableOf(list));
  place.replaceChildren(scroll);
  document.dispatchEvent(new Event('compared'));
}

form.suggestions = async text => [listOf(await matching(text, false), new FormData(form).getAll('e'))];
place.setAttribute('aria-busy', 'true');
show().catch(() => {
  place.before(make('p', 'The comparison could not be loaded. Reload the page to try again.', {className: 'compare-notice'}));
}).finally(() => place.removeAttribute('aria-busy'));
