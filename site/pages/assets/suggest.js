// Suggests names below a search field while the user types, in the header of every page and for
// comparisons.
const make = (tag, text = '', more = {}) => Object.assign(document.createElement(tag), {textContent: text}, more);
let names = null; // of a static site

for (const form of document.querySelectorAll('form:has(> [data-suggestions])')) {
  const field = form.querySelector('input[type=search]');
  const box = form.querySelector('[data-suggestions]');
  const said = make('p', '', {className: 'unseen'});
  said.setAttribute('role', 'status');
  form.append(said);
  let timer = 0;
  let under = null; // controller of the current request

  const hide = () => { box.hidden = true; box.replaceChildren(); };
  const links = () => [...box.querySelectorAll('a')];

  async function fetched(text) {
    under?.abort();
    under = new AbortController();
    const q = new URLSearchParams(new FormData(form));
    q.delete(field.name);
    q.set('suggest', text);
    const answer = await fetch(`${form.action}?${q}`, {signal: under.signal});
    if (!answer.ok) throw new Error(String(answer.status));
    return [...new DOMParser().parseFromString(await answer.text(), 'text/html').body.childNodes];
  }

  // On a static site, names are in a file.
  async function listed(text) {
    names ??= fetch(form.dataset.names).then(r => r.json());
    const {fields, rows} = await names;
    const [type, slug, name] = ['type', 'slug', 'name'].map(f => fields.indexOf(f));
    const start = text.toLowerCase();
    const found = rows.filter(r => r[name].toLowerCase().split(/[\s-]+/).some(w => w.startsWith(start)) || r[name].toLowerCase().startsWith(start)).slice(0, 8);
    const list = make('ul', '', {className: 'near'});
    for (const r of found) {
      const li = make('li');
      li.append(make('a', r[name], {href: `${form.dataset.root}${r[type]}/${r[slug]}/`}), ' ', make('span', r[type], {className: 'quiet'}));
      list.append(li);
    }
    return found.length ? [list] : [];
  }

  async function suggest() {
    const text = field.value.trim();
    if (!text) { hide(); said.textContent = ''; return; }
    let found;
    try {
      // On a static site, comparison.js looks up names in a file.
      const look = form.suggestions ?? (form.dataset.names ? listed : fetched);
      found = await look(text);
    } catch {
      return; // the Add button still works
    }
    if (field.value.trim() !== text || box.contains(document.activeElement)) return; // stale, or the user is choosing
    box.replaceChildren(...found);
    const n = links().length;
    if (!n) box.replaceChildren(make('p', 'No matching names.'));
    box.hidden = false;
    said.textContent = n === 1 ? '1 suggestion' : `${n} suggestions`;
  }

  field.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(suggest, 120); });
  form.addEventListener('focusout', e => { if (!form.contains(e.relatedTarget)) setTimeout(() => { if (!form.contains(document.activeElement)) box.hidden = true; }, 150); });
  field.addEventListener('focus', () => { if (box.children.length) box.hidden = false; });
  form.addEventListener('keydown', e => {
    const list = links();
    const at = list.indexOf(document.activeElement);
    if (e.key === 'ArrowDown' && !box.hidden && at + 1 < list.length) list[at + 1].focus();
    else if (e.key === 'ArrowUp' && at >= 0) (list[at - 1] ?? field).focus();
    else if (e.key === 'Escape' && !box.hidden) { field.focus(); box.hidden = true; } else return;
    e.preventDefault();
  });
}
