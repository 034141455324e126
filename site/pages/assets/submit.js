// Checks the form for proposing or correcting an entity while the user types: the server checks the values
// and writes the file, and this script shows the result. Without the script, the form's
// buttons do the same.
const form = document.querySelector('form[data-propose]');

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const text = button.closest('[data-yaml]').querySelector('[data-text]');
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    } catch { // not allowed: select the text so that the user can copy it
      getSelection().selectAllChildren(text);
    }
  });
}

if (form) live();

function live() {
  const amends = form.elements.amends?.value;
  const kept = amends ? 'correction ' + amends : 'proposal';
  const touched = new Set(); // fields whose problems are shown
  let edited = ''; // the field being filled in for the first time
  let all = 'checked' in form.dataset;
  let told = null; // the last result
  let under = null; // controller of the current request
  let timer = 0;
  let pause = 0;

  const one = name => form.querySelector(name);
  const make = (tag, className, text) => {
    const e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const values = () => new URLSearchParams([...new FormData(form)].filter(([k]) => k !== 'token'));

  async function check() {
    clearTimeout(timer);
    under?.abort();
    const mine = under = new AbortController();
    try {
      const answer = await fetch(form.action, {method: 'POST', body: values(), signal: mine.signal, headers: {Accept: 'application/json'}});
      const said = await answer.json();
      if (mine !== under) return;
      if (answer.ok) show(told = said); else refused(said.detail);
    } catch (e) {
      if (e.name !== 'AbortError' && mine === under) refused('The service cannot be reached at the moment. Your entries are kept in this tab.');
    }
  }

  function refused(why) {
    const says = one('[data-says]');
    says.textContent = why;
    says.className = 'propose-says is-wrong';
  }

  function show(said) {
    for (const field of form.querySelectorAll('[data-field]')) {
      const name = field.dataset.field;
      const shown = all || touched.has(name);
      const problems = shown ? said.problems.filter(p => p.input === name) : [];
      const warnings = shown ? said.warnings.filter(p => p.input === name) : [];
      const list = field.querySelector('.remarks');
      const next = [...problems.map(p => remark(p, 'is-wrong')), ...warnings.map(p => remark(p, 'is-worth'))];
      if (list.textContent !== next.map(e => e.textContent).join('')) list.replaceChildren(...next);
      for (const input of field.querySelectorAll('[name]:not(button)')) {
        if (problems.length) input.setAttribute('aria-invalid', 'true'); else input.removeAttribute('aria-invalid');
      }
    }
    one('[data-other]').replaceChildren(...said.problems.filter(p => !p.input).map(p => remark(p, 'is-wrong')));
    const likes = one('[data-likes]');
    likes.hidden = !said.similar.length;
    likes.querySelector('ul').replaceChildren(...said.similar.map(like));
    summary(said);
    one('[data-yaml]').hidden = !said.yaml;
    one('[data-text]').textContent = said.yaml;
    for (const path of form.querySelectorAll('[data-folder]')) path.textContent = path.dataset.folder + '/' + said.path;
    one('[data-ways]').hidden = !said.complete;
    one('[data-then]').hidden = said.complete;
    const save = one('[data-save]');
    if (save) {
      save.href = said.save;
      const name = said.path.split('/').pop();
      save.download = amends ? name.replace(/yaml$/, 'changes.yaml') : name;
      const mail = one('[data-mail]');
      mail.href = said.mail;
      mail.hidden = !said.mail;
    }
    const pull = one('[data-pull]');
    if (!pull) return; // a correction: the link to the editor does not change
    pull.hidden = !said.pull;
    pull.querySelector('a').href = said.pull; // hidden if empty
  }

  function summary(said) {
    const says = one('[data-says]');
    const wrong = said.taken || all && said.problems.length;
    let text = said.says;
    if (!said.taken && !all && said.problems.length) {
      const shown = said.problems.filter(p => touched.has(p.input)).length;
      text = shown ? '' : (amends ? '' : 'Required fields are marked. ') + 'Nothing is stored until you submit.';
      if (shown) text = shown === 1 ? 'One field needs a correction.' : shown + ' fields need corrections.';
    }
    if (says.textContent !== text) says.textContent = text;
    if (said.taken?.path) {
      const link = make('a', '', 'View it');
      link.href = said.taken.path;
      says.append(' ', link);
    }
    says.className = 'propose-says' + (wrong ? ' is-wrong' : said.complete ? ' is-right' : '');
  }

  function remark(p, kind) {
    const item = make('li', 'remark ' + kind, p.message);
    if (p.suggestion) {
      const use = make('button', 'plain suggest', 'Use ');
      use.type = 'button';
      use.dataset.use = p.input;
      use.dataset.value = p.value;
      use.append(make('bdi', '', p.suggestion));
      item.append(' ', use);
    }
    return item;
  }

  function like(l) {
    const item = make('li');
    const link = make('a');
    link.href = l.path;
    link.append(make('bdi', '', l.name));
    item.append(link, ' ', make('span', 'quiet', l.note));
    return item;
  }

  form.addEventListener('input', e => {
    const name = e.target.name;
    keep();
    if (e.target.type === 'radio' || e.target.tagName === 'SELECT') touched.add(name);
    edited = name;
    clearTimeout(pause);
    pause = setTimeout(() => touch(name), 1200); // do not complain about half-typed words
    clearTimeout(timer);
    timer = setTimeout(check, 300);
  });
  form.addEventListener('focusout', e => { if (e.target.name && e.target.name === edited) touch(e.target.name); });

  function touch(name) {
    if (touched.has(name)) return;
    touched.add(name);
    if (told) show(told);
  }

  form.addEventListener('click', e => {
    const use = e.target.closest('.suggest');
    if (!use) return;
    e.preventDefault();
    // Buttons rendered by the server have name and value in their value attribute.
    const [name, value] = use.dataset.use ? [use.dataset.use, use.dataset.value] : [use.value.slice(0, use.value.indexOf('=')), use.value.slice(use.value.indexOf('=') + 1)];
    const input = form.elements[name];
    input.value = value;
    touched.add(name);
    keep();
    check();
    (input.focus ? input : input[0]).focus();
  });

  form.addEventListener('submit', async e => {
    if (e.submitter?.hasAttribute('formaction')) { // submitting: the response is another page
      forget();
      return;
    }
    e.preventDefault();
    all = true;
    await check();
    const wrong = form.querySelector('[aria-invalid=true]');
    if (!wrong) return;
    wrong.closest('details')?.setAttribute('open', '');
    wrong.focus();
  });

  // Keeps the entries in this tab, so that they survive signing in.
  function keep() { try { sessionStorage.setItem(kept, values().toString()); } catch { /* no storage */ } }
  function forget() { try { sessionStorage.removeItem(kept); } catch { /* no storage */ } }
  function restore() {
    let before = null;
    try { before = sessionStorage.getItem(kept); } catch { return; }
    if (!before) return;
    for (const [name, value] of new URLSearchParams(before)) {
      const input = form.elements[name];
      if (input && input.type !== 'hidden') input.value = value;
    }
    const startOver = one('[data-start-over]');
    startOver.hidden = false;
    startOver.addEventListener('click', () => {
      forget();
      form.reset();
      location.reload();
    });
    for (const d of form.querySelectorAll('details')) d.open = [...d.querySelectorAll('input')].some(i => i.value);
    check();
  }

  // In lists, suggests the next word, because browsers complete only whole fields.
  for (const input of form.querySelectorAll('[data-list][list]')) {
    const known = [...input.list.options].map(o => o.value);
    input.addEventListener('input', () => {
      const parts = input.value.split(',').map(s => s.trim());
      parts.pop();
      const before = parts.length ? parts.join(', ') + ', ' : '';
      if (input.dataset.before === before) return;
      input.dataset.before = before;
      input.list.replaceChildren(...known.filter(k => !parts.includes(k)).map(k => { const o = make('option'); o.value = before + k; return o; }));
    });
  }

  if (!all) restore();
}
