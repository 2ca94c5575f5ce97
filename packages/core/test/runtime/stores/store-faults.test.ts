import { expect, test } from 'vitest';
import { createStoreFaults, type StoreFault, withoutFaultKind } from '../../../src/runtime/stores/store-faults.ts';

type Kind = 'locked' | 'full' | 'closed';

test('the listener is called when a fault begins, when its kind changes and when it ends', () => {
  const heard: StoreFault<Kind>[] = [];
  const faults = createStoreFaults<Kind>((fault) => heard.push(fault));
  faults.clear();
  faults.raise('locked', 'first');
  faults.raise('locked', 'second');
  faults.raise('full', 'third');
  faults.clear('locked');
  faults.dropped += 2;
  faults.clear();
  faults.clear();
  expect(heard).toEqual([
    { ok: false, dropped: 0, kind: 'locked', problem: 'first' },
    { ok: false, dropped: 0, kind: 'full', problem: 'third' },
    { ok: true, dropped: 2 },
  ]);
});

test('the status has the message of the latest fault', () => {
  const faults = createStoreFaults<Kind>(undefined);
  faults.raise('locked', 'first');
  faults.raise('locked', 'second');
  expect(faults.status()).toEqual({ ok: false, dropped: 0, kind: 'locked', problem: 'second' });
  expect(withoutFaultKind(faults.status())).toEqual({ ok: false, dropped: 0, problem: 'second' });
});

test('a closed store stays closed, and its listener is not called', () => {
  const heard: StoreFault<Kind>[] = [];
  const faults = createStoreFaults<Kind>((fault) => heard.push(fault));
  faults.raise('closed', 'it is closed');
  faults.raise('full', 'no space');
  faults.clear();
  expect(heard).toEqual([]);
  expect(faults.status()).toEqual({ ok: false, dropped: 0, kind: 'closed', problem: 'it is closed' });
});

test('a listener that throws changes nothing', () => {
  const faults = createStoreFaults<Kind>(() => {
    throw new Error('listener');
  });
  faults.raise('full', 'no space');
  expect(faults.kind).toBe('full');
});
