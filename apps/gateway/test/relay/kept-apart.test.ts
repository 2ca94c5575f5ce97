/** What a shared server cannot say itself: whose a log message is, and whose a task is. */
import { expect, test } from 'vitest';
import { undividedAccess } from '../../src/access/access.ts';
import { createRequestLogs } from '../../src/relay/request-logs.ts';
import { createTasks } from '../../src/relay/tasks.ts';
import { clientRequest, connectedClient } from './fake-server.ts';

const of = (owner: string, method: string, params: object = {}) =>
  clientRequest(method, params as never, { client: connectedClient({ access: { ...undividedAccess(owner), owner } }) });

test('a log message is for the only client that has calls at the server, and for none while two have', async () => {
  const logs = createRequestLogs();
  const ends: (() => void)[] = [];
  const call = (owner: string): Promise<unknown> =>
    logs.during('a', of(owner, 'tools/call'), () => new Promise((resolve) => ends.push(() => resolve({}))));
  expect(logs.soleOwner('a')).toBeUndefined();
  const calls = [call('alice'), call('alice')];
  expect(logs.soleOwner('a')).toBe('alice');
  const other = call('bob');
  expect(logs.soleOwner('a')).toBeUndefined();
  ends[2]?.();
  await other;
  expect(logs.soleOwner('a')).toBe('alice');
  for (const end of ends) end();
  await Promise.all(calls);
  expect(logs.soleOwner('a')).toBeUndefined();
});

test('a task exists for the client that caused it, and after a restart for none', () => {
  const get = (owner: string) => of(owner, 'tasks/get', { taskId: 't' });
  const before = createTasks();
  before.note(of('alice', 'tools/call'), { task: { taskId: 't' } });
  before.check(get('alice'));
  expect(() => before.check(get('bob'))).toThrow('Task not found');
  expect(() => createTasks().check(get('alice'))).toThrow('Task not found');
});
