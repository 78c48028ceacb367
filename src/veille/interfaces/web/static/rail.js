// On a phone the dossiers are folded away until they are wanted; at once, so that nothing jumps.
{
  const rail = document.querySelector("[data-rail]");
  if (matchMedia("(max-width: 56rem)").matches) rail.open = false;
}
