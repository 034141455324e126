// Light or dark: as the system has it, until somebody chooses. It runs before the
// page is shown, so that nobody sees the wrong one first.
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
        try { localStorage.setItem('theme', next); } catch { /* it lasts for this page then */ }
        root.dataset.theme = next;
      });
    }
    // Where all parts of the site have no room, the one that is open is in view.
    const nav = document.querySelector('.nav');
    const here = nav?.querySelector('[aria-current]');
    if (here) nav.scrollLeft = here.offsetLeft - nav.offsetLeft - (nav.clientWidth - here.offsetWidth) / 2;
    // A slash begins a search, wherever nothing is being typed.
    document.addEventListener('keydown', e => {
      if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || e.target.closest('input, textarea, select, [contenteditable]')) return;
      const field = document.querySelector('#q, #hero-find, #find');
      if (field) { e.preventDefault(); field.focus(); field.select(); }
    });
  });
})();
