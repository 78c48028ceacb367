// Results as somebody types: the newest question wins, and the address is that of what is shown.
import { fetchInto } from "./fragment.js";

const PAUSE_MS = 140;
const results = document.getElementById("results");
const field = document.querySelector('.find input[name="q"]');
let timer = 0;
let asking = new AbortController();

async function ask() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const query = new URLSearchParams({ q: field.value, sort: results.dataset.sort });
  const url = `${results.dataset.search}?${query}`;
  results.setAttribute("aria-busy", "true");
  try {
    if (!(await fetchInto(results, url, { signal }))) return;
    history.replaceState(null, "", url);
    document.title = `${field.value || "Search"} · veille`;
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  } finally {
    if (!signal.aborted) results.removeAttribute("aria-busy");
  }
}

field.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(ask, PAUSE_MS);
});
field.form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  ask().then(() => results.querySelector("[data-item] a")?.focus());
});
// Whoever comes from the field of another page goes on typing; whoever chose a page or a facet does not.
if (!field.value || !new URLSearchParams(location.search).has("sort")) {
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}
