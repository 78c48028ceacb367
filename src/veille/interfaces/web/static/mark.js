// Read or unread, kept or not: told to the server first, then shown.
export async function mark(one, what, value) {
  const answer = await fetch(`${one.dataset.document}/${what}`, {
    method: "POST",
    body: new URLSearchParams({ value: value ? "1" : "0" }),
    headers: { Accept: "application/json" },
  });
  if (answer.status === 401) location.reload(); // leads to where one comes in, and back
  if (!answer.ok) return;
  one.classList.toggle(what === "read" ? "unread" : "kept", what === "read" ? !value : value);
  document.dispatchEvent(new CustomEvent("marked", { detail: { what, value } }));
}
