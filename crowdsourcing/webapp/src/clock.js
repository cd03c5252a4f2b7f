// How long an item was worked on: only while the page is visible.

export class ActiveClock {
  constructor(seconds = 0, visible = true, now = () => performance.now()) {
    this.now = now;
    this.passed = seconds;
    this.since = visible ? now() : null;
  }

  read() {
    return this.passed + (this.since === null ? 0 : (this.now() - this.since) / 1000);
  }

  show(visible) {
    this.passed = this.read();
    this.since = visible ? this.now() : null;
  }
}
