// Shows results while the user types. The server renders them: this script fetches the page
// that the form leads to, copies its results, and updates the URL.
const form = document.querySelector('form[data-live]');
const field = form.elements.q;
let under = null; // controller of the current request
let timer = 0;

const results = () => document.getElementById('results');
const links = () => [...results().querySelectorAll('.hits a.row-name, .hits .near a')];

function address() {
  const q = new URLSearchParams(new FormData(form));
  for (const [k, v] of [...q]) if (v === '') q.delete(k);
  return form.action + (q.size ? '?' + q : '');
}

async function show(to, push) {
  under?.abort();
  const mine = under = new AbortController();
  let text;
  try {
    const answer = await fetch(to, {signal: mine.signal, headers: {Accept: 'text/html'}});
    text = await answer.text();
  } catch (e) {
    if (e.name !== 'AbortError') location.assign(to); // the browser shows the error
    return;
  }
  if (mine !== under) return;
  const page = new DOMParser().parseFromString(text, 'text/html');
  const next = page.getElementById('results');
  if (!next) { location.assign(to); return; }
  const open = results().querySelector('details[data-facets]')?.open;
  results().replaceChildren(...next.childNodes);
  unfold(open);
  document.title = page.title;
  // The form keeps the filters.
  for (const e of form.querySelectorAll('input[type=hidden]')) e.remove();
  for (const e of page.querySelectorAll('form[data-live] input[type=hidden]')) form.append(document.adoptNode(e));
  if (push) history.pushState(null, '', to); else history.replaceState(null, '', to);
}

// On wide screens, filters are always open.
const wide = matchMedia('(min-width: 60rem)');
function unfold(open) {
  const d = results().querySelector('details[data-facets]');
  if (d) d.open = wide.matches || Boolean(open);
}
wide.addEventListener('change', () => unfold(false));
unfold(false);

field.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(() => show(address(), false), 120);
});
form.addEventListener('submit', e => {
  e.preventDefault();
  clearTimeout(timer);
  show(address(), true);
});
results().addEventListener('click', e => {
  const a = e.target.closest('a');
  if (!a || e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
  if (a.origin + a.pathname !== form.action) return;
  e.preventDefault();
  show(a.href, true).then(() => field.focus());
});
addEventListener('popstate', () => {
  field.value = new URLSearchParams(location.search).get('q') ?? '';
  show(location.href, false);
});

// Arrow keys move through the results; Escape returns to the search field.
document.addEventListener('keydown', e => {
  const list = links();
  const at = list.indexOf(document.activeElement);
  const inField = document.activeElement === field;
  if (e.key === 'ArrowDown' && (inField || at >= 0) && at + 1 < list.length) {
    list[at + 1].focus();
  } else if (e.key === 'ArrowUp' && at >= 0) {
    (list[at - 1] ?? field).focus();
  } else if (e.key === 'Escape' && at >= 0) {
    field.focus();
  } else {
    return;
  }
  e.preventDefault();
});
if (!matchMedia('(pointer: coarse)').matches && !location.hash) {
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length); // caret at the end
}
