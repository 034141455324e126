// Comparisons: suggests names while the user types, and can hide rows without differences.
const form = document.querySelector('form[data-compare]');
const make = (tag, text, more = {}) => Object.assign(document.createElement(tag), {textContent: text}, more);

// Replace the URL that adds a name with the URL of the resulting comparison.
if (form?.dataset.here && new URLSearchParams(location.search).has('add') && !document.querySelector('.compare-notice')) {
  history.replaceState(null, '', form.dataset.here);
}

if (form) {
  const field = form.elements.add;
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
    q.delete('add');
    q.set('suggest', text);
    const answer = await fetch(`${form.action}?${q}`, {signal: under.signal});
    if (!answer.ok) throw new Error(String(answer.status));
    return [...new DOMParser().parseFromString(await answer.text(), 'text/html').body.childNodes];
  }

  async function suggest() {
    const text = field.value.trim();
    if (!text) { hide(); said.textContent = ''; return; }
    let found;
    try {
      // On a static site, comparison.js looks up names in a file.
      found = form.suggestions ? await form.suggestions(text) : await fetched(text);
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

// Adds the checkbox that hides rows in which all entities have the same value.
function foldable() {
  const table = document.querySelector('table[data-comparison]');
  const same = table ? [...table.querySelectorAll('tr[data-same]')] : [];
  if (!same.length || document.querySelector('.differences')) return;
  const box = make('input', '', {type: 'checkbox'});
  const line = make('label', '', {className: 'differences'});
  line.append(box, 'Show only differences');
  box.addEventListener('change', () => {
    for (const row of same) row.hidden = box.checked;
    for (const group of table.tBodies) {
      group.hidden = [...group.rows].slice(1).every(row => row.hidden);
    }
  });
  table.parentElement.before(line);
}
foldable();
document.addEventListener('compared', foldable);
