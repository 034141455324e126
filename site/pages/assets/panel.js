// The panel works without this. It copies what is shown once, and looks again while
// something is under way.
for (const button of document.querySelectorAll('[data-copy]')) {
  const text = document.getElementById(button.dataset.copy);
  const said = document.querySelector('[data-copied]');
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = 'Copied';
      said.textContent = 'Copied';
    } catch { // not allowed: it is marked, to be copied by hand
      getSelection().selectAllChildren(text);
      text.focus();
    }
  });
}

// Every two seconds, for two minutes at most.
const pause = 2000;
let left = 60;

const wait = () => {
  if (left-- > 0 && document.querySelector('[data-live][data-pending]')) setTimeout(look, pause);
};

async function look() {
  if (document.hidden) { wait(); return; }
  try {
    const answer = await fetch(location.href, {redirect: 'error', headers: {Accept: 'text/html'}});
    if (!answer.ok) return; // signed out, or gone: the page that is shown says what it knew
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const part of document.querySelectorAll('[data-live]')) {
      const next = page.getElementById(part.id);
      if (next && next.innerHTML !== part.innerHTML) replace(part, next);
    }
  } catch { /* the network is away: the next time may do */ }
  wait();
}

// What has the focus keeps it, where it is there again.
function replace(part, next) {
  const focused = part.contains(document.activeElement) ? document.activeElement.id : '';
  part.replaceChildren(...next.childNodes);
  part.toggleAttribute('data-pending', next.hasAttribute('data-pending'));
  if (focused) document.getElementById(focused)?.focus();
}

wait();
