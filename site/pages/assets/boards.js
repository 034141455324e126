// Leaderboards: turns the category links into a menu and the day links into a slider.
// On a static site, the column headers sort the rows on the page.
let named = 0;
const make = (tag, text, more = {}) => Object.assign(document.createElement(tag), {textContent: text}, more);
const labelled = (field, text) => {
  field.id = `chooser-${++named}`;
  return make('label', text, {htmlFor: field.id});
};

// Replaces the category links with a menu.
const categories = document.querySelector('details[data-categories]');
if (categories) {
  const menu = document.createElement('select');
  for (const a of categories.querySelectorAll('a')) {
    menu.append(make('option', a.textContent, {value: a.href, selected: a.hasAttribute('aria-current'), dir: 'auto'}));
  }
  menu.addEventListener('change', () => location.assign(menu.value));
  const line = make('p', '', {className: 'chooser'});
  line.append(labelled(menu, 'Category'), menu);
  categories.replaceWith(line);
}

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

// A static site has leaderboards only by composite score. The column header of another score
// sorts the rows on the page by that score.
const board = document.querySelector('table.board-static');
if (board) {
  const body = board.tBodies[0];
  const heads = [...board.querySelectorAll('thead th[data-score]')];
  const said = make('p', '', {className: 'unseen'});
  said.setAttribute('role', 'status');
  board.before(said);
  const menu = document.createElement('select');
  const sort = by => {
    const place = new Map([...body.rows].map(row => [row, Number(row.querySelector('.b-rank').textContent.replaceAll(',', ''))]));
    const value = row => Number(row.querySelector(`[data-score="${by}"]`).dataset.value);
    const rows = [...body.rows].sort((a, b) => value(b) - value(a) || place.get(a) - place.get(b));
    body.replaceChildren(...rows);
    for (const cell of board.querySelectorAll('[data-score]')) cell.classList.toggle('lesser', cell.dataset.score !== by);
    for (const head of heads) {
      if (head.dataset.score === by) head.setAttribute('aria-sort', 'descending'); else head.removeAttribute('aria-sort');
    }
    menu.value = by;
    said.textContent = `The ${rows.length} rows on this page are sorted by ${heads.find(h => h.dataset.score === by).textContent}.`;
  };
  for (const head of heads) {
    const button = make('button', head.textContent, {type: 'button'});
    button.addEventListener('click', () => sort(head.dataset.score));
    menu.append(make('option', head.textContent, {value: head.dataset.score}));
    head.replaceChildren(button);
  }
  menu.value = board.dataset.by;
  menu.addEventListener('change', () => sort(menu.value));
  const line = make('p', '', {className: 'chooser choose-by'});
  line.append(labelled(menu, 'Sort rows by'), menu);
  document.querySelector('.choosers').append(line);
}
