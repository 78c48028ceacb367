// Follows a look that goes on until it is done; then the page shows what came of it.
import { fetchInto } from "./fragment.js";

const EVERY_MS = 500;
const place = document.querySelector("[data-progress]");

async function follow() {
  const shown = await fetchInto(place, place.dataset.progress);
  if (!shown) return;
  if (place.querySelector("[data-done]")) location.reload();
  else setTimeout(follow, EVERY_MS);
}

if (place) setTimeout(follow, EVERY_MS);
