// Shows the messages that a push service brings, and opens what they are about.
self.addEventListener("push", (event) => {
  const { title = "veille", body = "", tag = "", url = "" } = event.data?.json() ?? {};
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: { url } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { url } = event.notification.data;
  event.waitUntil(self.clients.openWindow(url || "/"));
});
