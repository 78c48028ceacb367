// What is known of the page, and what can be done with it.
import { browser, isPage, settings, show, watch } from "./service.js";

const [state, list] = [document.getElementById("state"), document.getElementById("watched")];
const buttons = ["page", "part"].map((id) => document.getElementById(id));

// In a window of its own it is told which tab is meant.
const asked = new URLSearchParams(location.search).get("tab");
const tab = asked
  ? await browser.tabs.get(Number(asked))
  : (await browser.tabs.query({ active: true, currentWindow: true }))[0];

async function tell() {
  const watched = await show(tab);
  state.textContent = watched.length ? "This page is watched." : "This page is not watched.";
  list.replaceChildren(...watched.map(line));
}

function line({ name, dossier, url, change }) {
  const row = document.createElement("li");
  const link = Object.assign(document.createElement("a"), { href: url, target: "_blank", textContent: `${name} · ${dossier}` });
  row.append(link);
  if (change) {
    const when = new Date(change.at).toLocaleString();
    const last = Object.assign(document.createElement("a"), { href: change.url, target: "_blank", className: "change" });
    last.textContent = `${change.change === "new" ? "Read first" : "Last change"} ${when}: ${change.excerpt}`;
    row.append(last);
  }
  return row;
}

async function attempt(work) {
  for (const button of buttons) button.disabled = true;
  try {
    await work();
  } catch (error) {
    state.textContent = error.message;
  }
  for (const button of buttons) button.disabled = false;
}

buttons[0].addEventListener("click", () => attempt(async () => { await watch(tab); await tell(); }));
buttons[1].addEventListener("click", () => attempt(async () => {
  await browser.scripting.executeScript({ target: { tabId: tab.id }, files: ["picker.js"] });
  if (!asked) close();
}));

const { url, token } = await settings();
if (!url || !token) {
  state.textContent = "Set the address of the service and a token in the options.";
  for (const button of buttons) button.hidden = true;
} else if (isPage(tab?.url)) attempt(tell);
else {
  state.textContent = "Only pages on the web can be watched.";
  for (const button of buttons) button.hidden = true;
}
