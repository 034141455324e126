// Adds a copy button to each code block and checksum. The clipboard is available only
// over https and on localhost; elsewhere, no buttons are added.
const say = (button, text, usual) => {
  button.textContent = text;
  setTimeout(() => { button.textContent = usual; }, 1500);
};

function button(of, text, label) {
  const b = document.createElement('button');
  b.type = 'button';
  b.className = 'copy-button';
  b.textContent = text;
  b.setAttribute('aria-label', label);
  b.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(of());
      say(b, 'Copied', text);
      b.setAttribute('aria-label', 'Copied');
      setTimeout(() => b.setAttribute('aria-label', label), 1500);
    } catch {
      say(b, 'Failed', text);
    }
  });
  return b;
}

if (navigator.clipboard) {
  for (const box of document.querySelectorAll('[data-code]')) {
    const pre = box.querySelector('pre');
    box.append(button(() => pre.textContent, 'Copy', 'Copy: ' + pre.getAttribute('aria-label')));
  }
  for (const sum of document.querySelectorAll('[data-sum]')) {
    const file = sum.closest('tr')?.querySelector('th')?.textContent ?? '';
    sum.after(button(() => sum.textContent, 'Copy', 'Copy the checksum of ' + file));
  }
}
