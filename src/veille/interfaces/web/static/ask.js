// The extract is there; the answer of the model takes its place when it is written and checked.
import { fetchInto } from "./fragment.js";

const place = document.getElementById("answer");
const later = place?.dataset.later;

async function write() {
  place.setAttribute("aria-busy", "true");
  try {
    if (!(await fetchInto(place, later))) place.querySelector(".writing")?.remove();
  } catch {
    place.querySelector(".writing")?.remove();
  } finally {
    place.removeAttribute("aria-busy");
  }
}

if (later) write();
