// Puts a piece of HTML that our own server rendered, and escaped, into the page.
const policy = globalThis.trustedTypes?.createPolicy("veille", {
  createHTML: (html) => html,
  createScriptURL: (url) => {
    if (!url.startsWith("/static/")) throw new TypeError("Only our own scripts.");
    return url;
  },
});

// The address of one of our own scripts, for what runs scripts by their address.
export const ownScript = (url) => (policy ? policy.createScriptURL(url) : url);

export function put(place, html) {
  place.innerHTML = policy ? policy.createHTML(html) : html;
}

export async function fetchInto(place, url, options = {}) {
  const answer = await fetch(url, { headers: { Accept: "text/html", "X-Part": "1" }, ...options });
  if (answer.redirected) location.reload(); // to where one comes in, and back
  if (!answer.ok || answer.redirected) return false;
  put(place, await answer.text());
  return true;
}
