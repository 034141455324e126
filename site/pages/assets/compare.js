// Comparisons: can hide rows without differences. suggest.js suggests names.
const form = document.querySelector('form[data-compare]');
const make = (tag, text, more = {}) => Object.assign(document.createElement(tag), {textContent: text}, more);

// Replace the URL that adds a name with the URL of the resulting comparison.
if (form?.dataset.here && new URLSearchParams(location.search).has('add') && !document.querySelector('.compare-notice')) {
  history.replaceState(null, '', form.dataset.here);
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
