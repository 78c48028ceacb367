// Shows how far something is until it is done.
import { fetchInto } from "./fragment.js";

const place = document.querySelector("[data-progress]");

async function look() {
  if (!place.querySelector("[data-unfinished]")) return;
  await fetchInto(place, place.dataset.progress).catch(() => false);
  setTimeout(look, 700);
}

if (place) look();
