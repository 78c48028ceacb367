// The service: where it is, what its token is, and what it says of a page.
export const browser = globalThis.browser ?? globalThis.chrome;

export async function settings() {
  const { url = "", token = "", dossier = "" } = await browser.storage.local.get(["url", "token", "dossier"]);
  return { url, token, dossier };
}

export async function ask(path, body) {
  const { url, token } = await settings();
  if (!url || !token) throw new Error("Set the address of the service and a token first.");
  const answer = await fetch(url + path, {
    method: body ? "POST" : "GET",
    // The token alone counts: cookies would make this a request of another site.
    credentials: "omit",
    headers: { Authorization: `Bearer ${token}`, ...(body ? { "Content-Type": "application/json" } : {}) },
    body: body && JSON.stringify(body),
  });
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(said.error ?? `The service answered ${answer.status}.`);
  return said;
}

export const isPage = (url) => /^https?:/.test(url ?? "");

// Says on the button whether a page is watched, and how many of its changes are unread.
export async function show(tab) {
  if (!isPage(tab?.url)) return [];
  const { watched } = await ask(`/api/watched?url=${encodeURIComponent(tab.url)}`);
  const unread = watched.reduce((sum, one) => sum + one.unread, 0);
  await browser.action.setBadgeBackgroundColor({ color: unread ? "#b3421f" : "#0b5c6b" });
  await browser.action.setBadgeText({ tabId: tab.id, text: watched.length ? String(unread || "✓") : "" });
  return watched;
}

export async function watch(tab, selector) {
  const { dossier } = await settings();
  if (!dossier) throw new Error("Choose a dossier first: open the options.");
  const config = selector ? { config_json: JSON.stringify({ mode: "css", selectors: [selector], min_chars: 1 }) } : {};
  const name = (tab.title || tab.url).slice(0, 200);
  return ask(`/api/dossiers/${dossier}/sources`, { name, url: tab.url, source_type: "web", ...config });
}
