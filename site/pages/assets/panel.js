// Copies secrets, and refreshes the page while a delivery is pending. The panel also works
// without this script.
for (const button of document.querySelectorAll('[data-copy]')) {
  const text = document.getElementById(button.dataset.copy);
  const said = document.querySelector('[data-copied]');
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = 'Copied';
      said.textContent = 'Copied';
    } catch { // not allowed: select the text so that the user can copy it
      getSelection().selectAllChildren(text);
      text.focus();
    }
  });
}

// Refreshes every two seconds, for at most two minutes.
const pause = 2000;
let left = 60;

const wait = () => {
  if (left-- > 0 && document.querySelector('[data-live][data-pending]')) setTimeout(look, pause);
};

async function look() {
  if (document.hidden) { wait(); return; }
  try {
    const answer = await fetch(location.href, {redirect: 'error', headers: {Accept: 'text/html'}});
    if (!answer.ok) return; // signed out, or the page is gone: keep what is shown
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const part of document.querySelectorAll('[data-live]')) {
      const next = page.getElementById(part.id);
      if (next && next.innerHTML !== part.innerHTML) replace(part, next);
    }
  } catch { /* offline: try again later */ }
  wait();
}

// Keeps the focus if the focused element still exists.
function replace(part, next) {
  const focused = part.contains(document.activeElement) ? document.activeElement.id : '';
  part.replaceChildren(...next.childNodes);
  part.toggleAttribute('data-pending', next.hasAttribute('data-pending'));
  if (focused) document.getElementById(focused)?.focus();
}

wait();
