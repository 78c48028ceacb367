// Puts a piece of HTML that our own server rendered, and escaped, into the page.
const policy = globalThis.trustedTypes?.createPolicy("veille", { createHTML: (html) => html });

export async function fetchInto(place, url, options = {}) {
  const answer = await fetch(url, { headers: { Accept: "text/html", "X-Part": "1" }, ...options });
  if (answer.redirected) location.reload(); // to where one comes in, and back
  if (!answer.ok || answer.redirected) return false;
  const html = await answer.text();
  place.innerHTML = policy ? policy.createHTML(html) : html;
  return true;
}
