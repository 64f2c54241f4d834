// SPDX-License-Identifier: Apache-2.0
// A browser starts no worker for a page opened from disk. Where that is so, the script of a worker
// (the search) runs in a hidden frame instead, with the messages of a worker.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(script) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      document.body.append(this.frame);
      const inside = this.frame.contentWindow, page = this.frame.contentDocument;
      inside.postMessage = (data) => this.tell(data);
      inside.importScripts = (...scripts) =>
        scripts.reduce((done, url) => done.then(() => this.load(page, url)), Promise.resolve());
      this.load(page, new URL(script, document.baseURI)).then(() => {
        this.started = true;
        this.waiting.forEach((data) => this.postMessage(data));
      });
    }
    load(page, url) {
      return new Promise((done) => {
        const tag = page.createElement("script");
        tag.src = url;
        tag.onload = done;
        page.body.append(tag);
      });
    }
    // From the frame to the page.
    tell(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }
    postMessage(data) {
      if (!this.started) return void this.waiting.push(data);
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() { this.frame.remove(); }
  };
}
