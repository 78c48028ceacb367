// Takes what was pointed at, and, where it may see tabs, keeps the button up to date.
import { browser, show, watch } from "./service.js";

browser.runtime.onMessage.addListener((message, sender, answer) => {
  if (message?.what !== "watch" || !sender.tab) return false;
  const tab = { id: sender.tab.id, url: message.url, title: message.title };
  watch(tab, message.selector)
    .then(() => show(tab))
    .then(() => answer({ told: "veille watches this part." }), (error) => answer({ told: error.message }));
  return true;
});

const quietly = (tab) => show(tab).catch(() => {});
browser.tabs.onUpdated.addListener((id, change, tab) => change.status === "complete" && quietly(tab));
browser.tabs.onActivated.addListener(async ({ tabId }) => quietly(await browser.tabs.get(tabId)));
