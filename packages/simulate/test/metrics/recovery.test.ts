import { describe, expect, it } from 'vitest';
import { createRecovery } from '../../src/metrics/recovery.ts';

/** Shares of prompt turns by second from the end of the fault; `-`: no turn began. */
function recoveryOf(shares: readonly (number | '-')[]): number | 'never' | null {
  const recovery = createRecovery(10_500, 10_500 + shares.length * 1_000, 2_000);
  for (const [second, share] of shares.entries()) {
    if (share === '-') continue;
    for (let nth = 0; nth < 20; nth++) recovery.add(10_500 + second * 1_000 + nth * 10, nth < share * 20 ? 1_999 : 2_001);
  }
  return recovery.seconds();
}

describe('recovery', () => {
  it.each<[readonly (number | '-')[], number | 'never' | null]>([
    [[1, 1, 1, 1, 1, 1], 0],
    [[0, 0, 0.9, 0.95, 1, 1, 1, 1], 3],
    // Five consecutive good seconds count; later ones are ignored.
    [[0, 1, 1, 1, 0.5, 1, 1, 1, 1, 1, 0], 5],
    [[0, '-', 1, '-', 1, 1, 1, 1], 1],
    // Good until the end counts as good.
    [[0, 0, 1], 2],
    [[1, 1, 0], 'never'],
    [['-', '-'], null],
  ])('of %j is after %j s', (shares, expected) => {
    expect(recoveryOf(shares)).toBe(expected);
  });

  it('does not count turns that began before the end or failed', () => {
    const recovery = createRecovery(10_000, 12_000, 2_000);
    recovery.add(9_999, 1);
    expect(recovery.seconds()).toBeNull();
    recovery.add(10_000, Infinity);
    expect(recovery.seconds()).toBe('never');
  });
});
