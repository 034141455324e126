// Filters are collapsed on phones and open on wide screens, and everywhere if one has a wrong value, which the page says.
const wide = matchMedia('(min-width: 60rem)');
const filters = [...document.querySelectorAll('details[data-unfold]')].map((d) => [d, d.open]);
const unfold = () => {
  for (const [d, wrong] of filters) d.open = wrong || wide.matches;
};
wide.addEventListener('change', unfold);
unfold();
