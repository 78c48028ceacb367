// Two pictures one over the other: the slider says how much of the newer one is seen.
const place = document.querySelector("[data-wipe]");
if (place) {
  const over = place.querySelector("[data-over]");
  const wiper = place.querySelector("[data-wiper]");
  const show = () => {
    over.style.clipPath = `inset(0 0 0 ${100 - Number(wiper.value)}%)`;
  };
  wiper.addEventListener("input", show);
  show();
  place.hidden = false;
}
