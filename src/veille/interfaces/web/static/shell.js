// Puts the worker beside the pages that shows messages, and a page of our own when there is no network.
import { ownScript } from "./fragment.js";

// Always the same address, so that subscriptions stay with new versions.
const WORKER = "/static/push/push-worker.js";

export function beside() {
  return navigator.serviceWorker.register(ownScript(WORKER), { scope: "/" });
}

export const isPossible = "serviceWorker" in navigator;
