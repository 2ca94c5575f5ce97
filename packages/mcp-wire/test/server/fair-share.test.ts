/** How slots are shared: one principal may have four fifths, whatever it asks for. */
import { FairShare } from '@holdfast/mcp-wire/server';
import { expect, test } from 'vitest';

/** How many a principal gets that asks without an end. */
function flood(share: FairShare, principal: string | undefined): number {
  let taken = 0;
  for (; share.admits(principal); taken += 1) share.take(principal);
  return taken;
}

test('one principal gets at most four fifths, and fewer if others have some', () => {
  for (const limit of [1, 2, 3, 4, 5, 20, 100, 1_000]) {
    const share = new FairShare(limit);
    expect(flood(share, 'alice')).toBe(Math.max(1, Math.floor(limit * 0.8)));
    expect(share.admits('bob')).toBe(limit > 1);
  }
  const share = new FairShare(100);
  for (let count = 0; count < 50; count += 1) share.take('bob');
  expect(flood(share, 'alice')).toBe(40);
  expect(share.admits('carol')).toBe(true);
});

test('all slots are for callers without a name, who are one client', () => {
  expect(flood(new FairShare(100), undefined)).toBe(100);
});

test('a slot that is free again can be taken', () => {
  const share = new FairShare(10);
  expect(flood(share, 'alice')).toBe(8);
  share.release('alice');
  expect(flood(share, 'alice')).toBe(1);
  expect(share.total).toBe(8);
});
