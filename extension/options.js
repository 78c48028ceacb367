// Where the service is, and what may be used of it. The browser asks before the extension may talk to it.
import { ask, browser, settings } from "./service.js";

const form = document.querySelector("form");
const { url, token, dossier, tabs } = form.elements;
const told = document.getElementById("told");

async function fill(chosen) {
  const found = await ask("/api/dossiers");
  dossier.replaceChildren(...found.map((one) => new Option(one.name, one.id)));
  if (found.some((one) => one.id === chosen)) dossier.value = chosen;
  if (!found.length) throw new Error("There is no dossier that this token may use.");
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  told.textContent = "…";
  try {
    const origin = new URL(url.value).origin;
    const wanted = { origins: [`${origin.replace(/:\d+$/, "")}/*`], permissions: tabs.checked ? ["tabs"] : [] };
    if (!(await browser.permissions.request(wanted))) throw new Error("Without this permission it cannot reach the service.");
    if (!tabs.checked) await browser.permissions.remove({ permissions: ["tabs"] });
    await browser.storage.local.set({ url: url.value.replace(/\/+$/, ""), token: token.value.trim() });
    await fill(dossier.value || (await settings()).dossier);
    await browser.storage.local.set({ dossier: dossier.value });
    told.textContent = "Saved.";
  } catch (error) {
    told.textContent = error.message;
  }
});

const known = await settings();
url.value = known.url;
token.value = known.token;
tabs.checked = await browser.permissions.contains({ permissions: ["tabs"] });
if (known.url && known.token) fill(known.dossier).catch((error) => (told.textContent = error.message));
