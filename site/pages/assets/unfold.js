// Filters are collapsed on phones and open on wide screens.
const wide = matchMedia('(min-width: 60rem)');
const unfold = () => {
  for (const d of document.querySelectorAll('details[data-unfold]')) d.open = wide.matches;
};
wide.addEventListener('change', unfold);
unfold();
