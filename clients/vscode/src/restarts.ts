/** One restart at a time, and an end to it when the server keeps crashing; pure but for the clock passed in. */

/** Runs deeds one after the other; a deed that was asked for again while waiting runs once. */
export class SerialQueue {
  private tail: Promise<void> = Promise.resolve();
  private waiting: { deed: () => Promise<void>; done: Promise<void> } | undefined;

  run(deed: () => Promise<void>): Promise<void> {
    if (this.waiting) {
      this.waiting.deed = deed;
      return this.waiting.done;
    }
    const entry = { deed, done: Promise.resolve() };
    entry.done = this.tail.then(() => {
      this.waiting = undefined;
      return entry.deed();
    });
    this.waiting = entry;
    this.tail = entry.done.catch(() => undefined);
    return entry.done;
  }
}

/** Says whether another automatic start is worth it: at most `limit` crashes in `windowMs`. */
export class CrashCounter {
  private readonly crashes: number[] = [];
  private readonly limit: number;
  private readonly windowMs: number;

  constructor(limit = 4, windowMs = 180_000) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  crashed(now: number): 'restart' | 'give up' {
    this.crashes.push(now);
    while (this.crashes.length && now - (this.crashes[0] ?? now) > this.windowMs) this.crashes.shift();
    return this.crashes.length > this.limit ? 'give up' : 'restart';
  }

  reset(): void {
    this.crashes.length = 0;
  }
}
