/** One restart at a time, and an end to it when the server keeps crashing; pure but for the clock passed in. */
/** Runs deeds one after the other; a deed that was asked for again while waiting runs once. */
export class SerialQueue {
  private tail: Promise<void> = Promise.resolve();
  private next = this.tail;
  private waiting: (() => Promise<void>) | undefined;

  run(deed: () => Promise<void>): Promise<void> {
    if (!this.waiting) {
      this.next = this.tail.then(() => {
        const newest = this.waiting;
        this.waiting = undefined;
        return newest?.();
      });
      this.tail = this.next.catch(() => undefined);
    }
    this.waiting = deed;
    return this.next;
  }
}

/** Says whether another automatic start is worth it: at most `limit` crashes in `windowMs`. */
export class CrashCounter {
  private crashes: number[] = [];

  crashed(now: number, limit = 4, windowMs = 180_000): 'restart' | 'give up' {
    this.crashes = [...this.crashes.filter((at) => now - at <= windowMs), now];
    return this.crashes.length > limit ? 'give up' : 'restart';
  }

  reset(): void { this.crashes = []; }
}
