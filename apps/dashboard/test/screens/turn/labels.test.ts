import { emptySegment } from '@holdfast/core/turn-view';
import { expect, test } from 'vitest';
import { describeSegment } from '../../../src/screens/turn/labels.ts';

test('a wait is named by what it waits for', () => {
  const textOf = (wait: string): string => describeSegment({ ...emptySegment('queue', 0), wait });
  expect(['recovery', 'retry_budget', 'retry_after', 'concurrency'].map(textOf)).toEqual([
    'Waiting for the tool to recover',
    'Waiting for the retry budget to refill',
    'Waiting for the rate limit',
    'Waiting for a slot of the tool',
  ]);
});
