// Follows something that goes on: what shows it is fetched again and again until it is done.
import { fetchInto } from "./fragment.js";

const EVERY_MS = 500;
const place = document.querySelector("[data-progress]");

async function follow() {
  const isShown = await fetchInto(place, place.dataset.progress).catch(() => false);
  if (!isShown) return;
  if (place.querySelector("[data-done]")) location.reload();
  else if (!place.querySelector("[data-finished]")) setTimeout(follow, EVERY_MS);
}

if (place && !place.querySelector("[data-finished]")) setTimeout(follow, EVERY_MS);
