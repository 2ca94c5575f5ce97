/** Requests that wait for answers of clients: their number is limited, and shared by principals. */
import { manualSystem } from '@holdfast/core/testing';
import { expect, test } from 'vitest';
import type { InteractiveRequest } from '../../src/calls/interactive-request.ts';
import { suspendedRequests } from '../../src/calls/suspended.ts';

test('a principal with many makes room itself', () => {
  const cancelled: string[] = [];
  const suspended = suspendedRequests({ system: manualSystem(), limitMs: () => 1_000, limit: 5 });
  const add = (name: string, principal: string): string =>
    suspended.add({
      request: { cancel: () => cancelled.push(name) } as unknown as InteractiveRequest,
      principal,
      tool: 'a',
      isAttended: false,
    });
  const hers = add('hers', 'alice');
  for (let count = 0; count < 8; count += 1) add(`his-${count}`, 'bob');
  expect(cancelled).toEqual(['his-0', 'his-1', 'his-2', 'his-3']);
  expect(suspended.size).toBe(5);
  expect(suspended.take(hers, 'bob')).toBeUndefined();
  expect(suspended.take(hers, 'alice')).toMatchObject({ principal: 'alice' });
  suspended.close();
  expect(cancelled).toHaveLength(8);
});
