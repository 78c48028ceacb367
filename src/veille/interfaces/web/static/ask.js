// The extract is there; the answer of the model takes its place, sentence by sentence as they are written and checked.
import { fetchInto, put } from "./fragment.js";

const place = document.getElementById("answer");
const { later, live } = place?.dataset ?? {};
const extract = place?.innerHTML;

// Whether the whole answer came.
function listen() {
  return new Promise((resolve) => {
    const stream = new EventSource(live);
    const end = (isWhole) => (stream.close(), resolve(isWhole));
    stream.addEventListener("part", (event) => put(place, event.data));
    stream.addEventListener("whole", (event) => (put(place, event.data), end(true)));
    stream.onerror = () => end(false);
  });
}

async function write() {
  place.setAttribute("aria-busy", "true");
  // What broke off is asked for as a whole; what fails then, too, leaves the extract.
  if (!((await listen()) || (await fetchInto(place, later).catch(() => false)))) {
    put(place, extract);
    place.querySelector(".writing")?.remove();
  }
  place.removeAttribute("aria-busy");
}

if (later) write();
