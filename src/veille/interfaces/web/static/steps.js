// What is chosen in the picture is added to the steps as they are now, so that nothing that was typed is lost.
const steps = document.querySelector("#steps");
document.querySelector("svg.shot")?.addEventListener("click", (event) => {
  const chosen = event.target.closest("[data-step]");
  if (!chosen || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const before = steps.value.trimEnd();
  steps.value = `${before}${before && "\n"}${chosen.dataset.step}`;
  steps.focus();
  // The name of the secret is typed over; after anything else one goes on.
  const name = chosen.dataset.step.endsWith("${secret:NAME}") ? steps.value.length - 5 : steps.value.length;
  steps.setSelectionRange(name, name === steps.value.length ? name : name + 4);
});
