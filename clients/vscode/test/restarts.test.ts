import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CrashCounter, SerialQueue } from '../src/restarts.ts';

function gate(): { open: () => void; wait: Promise<void> } {
  let open = (): void => undefined;
  const wait = new Promise<void>((resolve) => { open = resolve; });
  return { open, wait };
}

test('restarts run one after the other', async () => {
  const queue = new SerialQueue();
  const first = gate();
  const seen: string[] = [];
  const a = queue.run(async () => { seen.push('a begins'); await first.wait; seen.push('a ends'); });
  await new Promise((resolve) => setImmediate(resolve));
  const b = queue.run(async () => { seen.push('b'); });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(seen, ['a begins']);
  first.open();
  await Promise.all([a, b]);
  assert.deepEqual(seen, ['a begins', 'a ends', 'b']);
});

test('restarts asked for while one waits are one', async () => {
  const queue = new SerialQueue();
  const first = gate();
  let runs = 0;
  const running = queue.run(() => first.wait);
  await new Promise((resolve) => setImmediate(resolve));
  const waiting = [queue.run(async () => { runs += 1; }), queue.run(async () => { runs += 10; }), queue.run(async () => { runs += 100; })];
  first.open();
  await Promise.all([running, ...waiting]);
  assert.equal(runs, 100, 'only the last deed of those that waited ran');
});

test('a failed restart does not block the next', async () => {
  const queue = new SerialQueue();
  await assert.rejects(queue.run(() => Promise.reject(new Error('no'))), /no/);
  let ran = false;
  await queue.run(async () => { ran = true; });
  assert.ok(ran);
});

test('a server that keeps crashing is left alone', () => {
  const counter = new CrashCounter();
  assert.deepEqual([0, 1, 2, 3, 4].map((at) => counter.crashed(at)), ['restart', 'restart', 'restart', 'restart', 'give up']);
});

test('crashes far apart are forgiven', () => {
  const counter = new CrashCounter();
  assert.equal(counter.crashed(0, 1, 1000), 'restart');
  assert.equal(counter.crashed(2000, 1, 1000), 'restart');
  assert.equal(counter.crashed(2500, 1, 1000), 'give up');
  counter.reset();
  assert.equal(counter.crashed(2600, 1, 1000), 'restart');
});
