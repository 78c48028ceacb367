// Search works in a worker, and a browser gives none to a page that was opened from a folder: there an invisible frame
// does the same work. Messages of the page wait until its script is loaded.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #ready;

    constructor(url) {
      super();
      this.#frame.hidden = true;
      document.body.append(this.#frame);
      const inside = this.#frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...urls) => urls.reduce((before, one) => before.then(() => this.#load(one)), Promise.resolve());
      this.#ready = this.#load(url);
    }

    postMessage(data) {
      const inside = this.#frame.contentWindow;
      this.#ready.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }

    terminate() {
      this.#frame.remove();
    }

    #load(url) {
      const script = this.#frame.contentDocument.createElement("script");
      script.src = new URL(url, location.href);
      const loaded = new Promise((done, failed) => Object.assign(script, { onload: done, onerror: failed }));
      this.#frame.contentDocument.body.append(script);
      return loaded;
    }
  };
}
