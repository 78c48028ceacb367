// Installs the pages as an app, where the browser can; the worker then shows something when there is no network.
import { beside, isPossible } from "./shell.js";

const button = document.querySelector("[data-install]");
const told = document.querySelector("[data-install-told]");
let offer;
addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  offer = event;
});
if (button && isPossible) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await beside();
    await navigator.serviceWorker.ready;
    await offer?.prompt();
    told.textContent = offer ? "" : "This browser now has what it needs: choose “Install” or “Add to home screen” in its menu.";
    button.dataset.install = "done";
  });
}
