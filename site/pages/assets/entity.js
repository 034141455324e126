// Shows copy buttons next to snippets. Without this script, they stay hidden.

/** Selects the text of an element, so that people can copy it themselves. */
const select = (element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
};

for (const button of document.querySelectorAll("button[data-copy]")) {
  const text = button.closest(".snippet").querySelector("code");
  const usual = [...button.childNodes];
  let timer = 0;
  const say = (words) => {
    button.textContent = words;
    clearTimeout(timer);
    timer = setTimeout(() => { button.replaceChildren(...usual); }, 2000);
  };
  button.setAttribute("aria-live", "polite");
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      say("Copied");
    } catch {
      select(text); // not allowed, or not a secure context
      say(document.execCommand("copy") ? "Copied" : "Selected");
    }
  });
}
