// Sets the light or dark theme: the system's theme until the user chooses one. Runs before
// the first paint, to avoid a flash of the wrong theme.
(() => {
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const chosen = () => { try { return localStorage.getItem('theme'); } catch { return null; } };
  const shown = () => chosen() || (dark.matches ? 'dark' : 'light');
  root.dataset.theme = shown();
  dark.addEventListener('change', () => { root.dataset.theme = shown(); });
  document.addEventListener('DOMContentLoaded', () => {
    const button = document.querySelector('.theme');
    if (button) {
      button.hidden = false;
      button.addEventListener('click', () => {
        const next = shown() === 'dark' ? 'light' : 'dark';
        try { localStorage.setItem('theme', next); } catch { /* applies to this page only */ }
        root.dataset.theme = next;
      });
    }
    // A slash focuses the search field unless the user is typing.
    document.addEventListener('keydown', e => {
      if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || e.target.closest('input, textarea, select, [contenteditable]')) return;
      const field = document.querySelector('#q') ?? document.querySelector('#find');
      if (field) { e.preventDefault(); field.focus(); field.select(); }
    });
  });
})();
