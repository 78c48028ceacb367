// Lets this browser be told of alerts: asks for permission, subscribes, and sends the form with the subscription.
import { beside } from "./shell.js";

const form = document.querySelector("[data-push]");
const lacking = document.querySelector("[data-push-lacking]");
const can = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
if (form && can) {
  form.hidden = false;
  lacking.hidden = true;
  form.addEventListener("submit", (event) => {
    if (form.elements.subscription.value) return;
    event.preventDefault();
    subscribed(form.dataset.push).then(
      (subscription) => {
        form.elements.subscription.value = JSON.stringify(subscription);
        form.submit();
      },
      (error) => {
        lacking.textContent = `This browser did not subscribe: ${error.message}`;
        lacking.hidden = false;
      },
    );
  });
}

async function subscribed(key) {
  if ((await Notification.requestPermission()) !== "granted") {
    throw new Error("notifications of this site are not allowed. Allow them in the settings of the browser.");
  }
  const registration = await beside();
  await active(registration);
  const known = await registration.pushManager.getSubscription();
  return known ?? registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
}

function active(registration) {
  const worker = registration.installing ?? registration.waiting;
  if (!worker) return undefined;
  return new Promise((done) => {
    worker.addEventListener("statechange", () => worker.state === "activated" && done());
  });
}

function bytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}
