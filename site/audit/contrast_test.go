package audit_test

// faint is a script that returns the visible text with a contrast below 4.5 (WCAG 2.2,
// success criterion 1.4.3), one example for each element name and class. It ignores disabled
// controls.
const faint = `(() => {
  const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return {rgb: m.slice(0, 3), a: m.length > 3 ? m[3] : 1}; };
  const luminance = rgb => {
    const [r, g, b] = rgb.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = (top, below) => top.rgb.map((v, i) => v * top.a + below[i] * (1 - top.a));
  const behind = e => {
    if (!e) return [255, 255, 255];
    const c = parse(getComputedStyle(e).backgroundColor);
    return c.a === 1 ? c.rgb : over(c, behind(e.parentElement));
  };
  const found = {};
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || e.matches('input, select, textarea, option');
    if (!own || e.disabled || !e.checkVisibility({opacityProperty: true, visibilityProperty: true}) || e.closest('svg')) continue;
    const below = behind(e), ink = over(parse(getComputedStyle(e).color), below);
    const [a, b] = [luminance(ink), luminance(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found[e.tagName + '.' + e.className] = e.textContent.trim().slice(0, 30) + ' (' + ratio.toFixed(1) + ')';
  }
  return Object.entries(found).map(([k, v]) => k + ': ' + v);
})()`
