// Lists: turns the links to earlier days into a slider, and says which point of a chart is touched. On a
// static site, the column headers sort the rows on the page.
let named = 0;
const make = (tag, text, more = {}) => Object.assign(document.createElement(tag), {textContent: text}, more);
const labelled = (field, text) => {
  field.id = `chooser-${++named}`;
  return make('label', text, {htmlFor: field.id});
};

// Replaces the day links with a slider, with today at the right.
const days = document.querySelector('details[data-days]');
if (days) slide([...days.querySelectorAll('a')].reverse());

function slide(links) {
  const at = Math.max(0, links.findIndex(a => a.hasAttribute('aria-current')));
  const range = make('input', '', {type: 'range', min: 0, max: links.length - 1, step: 1});
  range.value = at;
  range.dataset.slider = '';
  const shown = make('output', '');
  const name = labelled(range, 'As of');
  shown.htmlFor = range.id;
  const show = () => {
    const day = links[range.value].textContent;
    shown.textContent = day;
    range.setAttribute('aria-valuetext', day);
  };
  show();
  let waiting = 0;
  const go = () => {
    clearTimeout(waiting);
    if (Number(range.value) === at) return;
    try { sessionStorage.setItem('slider', '1'); } catch { /* focus is lost on the next page */ }
    location.assign(links[range.value].href);
  };
  // With the keyboard, every step fires a change event, so wait until the events stop.
  let keys = false;
  range.addEventListener('keydown', e => {
    keys = true;
    if (e.key === 'Enter') go();
  });
  range.addEventListener('pointerdown', () => { keys = false; clearTimeout(waiting); });
  range.addEventListener('input', show);
  range.addEventListener('change', () => {
    clearTimeout(waiting);
    waiting = setTimeout(go, keys ? 700 : 0);
  });
  const line = make('p', '', {className: 'slider'});
  line.append(name, range, shown);
  days.replaceWith(line);
  try {
    if (sessionStorage.getItem('slider')) range.focus({preventScroll: true});
    sessionStorage.removeItem('slider');
  } catch { /* no storage */ }
  // When the page returns from the back/forward cache, reset the slider to the page's day.
  addEventListener('pageshow', e => { if (e.persisted) { range.value = at; show(); } });
}

// The name of a point is said when it is touched or pointed at.
const said = document.querySelector('[data-said]');
for (const type of ['click', 'pointerover']) {
  said?.closest('figure').addEventListener(type, e => {
    const title = e.target.closest('.touch')?.querySelector('title');
    if (title) said.textContent = title.textContent;
  });
}

// A static site has each list in one order. The column headers sort the rows on the page.
const table = document.querySelector('table.list-static');
if (table) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const status = make('p', '', {className: 'unseen'});
  status.setAttribute('role', 'status');
  table.before(status);
  const heads = [...table.tHead.rows[0].cells];
  const menu = document.createElement('select');
  menu.addEventListener('change', () => heads[menu.value].querySelector('button').click());
  heads.forEach((head, at) => {
    if (!head.matches('.b-name, [class^=p], .wide-only')) return;
    const button = make('button', head.firstChild.textContent, {type: 'button'});
    head.firstChild.replaceWith(button);
    menu.append(make('option', button.textContent, {value: at}));
    button.addEventListener('click', () => {
      const value = row => row.cells[at].dataset.value ?? row.cells[at].textContent;
      const down = head.ariaSort ? head.ariaSort === 'ascending' : head.classList.contains('num');
      const last = row => value(row) === '-1';
      body.replaceChildren(...rows.toSorted((a, b) => last(a) - last(b) || (down ? -1 : 1) * value(a).localeCompare(value(b), 'en', {numeric: true})));
      for (const h of heads) h.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      if (head.matches('.wide-only, .lesser')) { // narrow screens show what the rows are sorted by
        for (const row of table.rows) {
          for (const cell of row.cells) cell.classList.replace('p1', 'lesser');
          row.cells[at].classList.remove('wide-only', 'lesser');
          row.cells[at].classList.add('p1');
        }
      }
      status.textContent = `The ${rows.length} rows on this page are sorted by ${button.textContent}.`;
    });
  });
  const line = make('p', '', {className: 'chooser phone-sort'});
  line.append(labelled(menu, 'Sort rows by'), menu);
  table.before(line);
}
