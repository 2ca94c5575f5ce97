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
  const before = createTasks(() => true);
  before.note(of('alice', 'tools/call'), { task: { taskId: 't' } });
  before.check(get('alice'));
  expect(() => before.check(get('bob'))).toThrow('Task not found');
  expect(() => createTasks(() => true).check(get('alice'))).toThrow('Task not found');
});

test('a task is forgotten only if its client has the most', () => {
  const tasks = createTasks(() => true);
  tasks.note(of('alice', 'tools/call'), { task: { taskId: 'hers' } });
  for (let count = 0; count < 20_001; count += 1) tasks.note(of('bob', 'tools/call'), { taskId: `his-${count}` });
  tasks.check(of('alice', 'tasks/get', { taskId: 'hers' }));
  expect(() => tasks.check(of('bob', 'tasks/get', { taskId: 'his-0' }))).toThrow('Task not found');
});

test('a call names only tasks of its client, and no task where tasks are not relayed', () => {
  const related = 'io.modelcontextprotocol/related-task';
  const call = (owner: string, taskId: string) =>
    of(owner, 'tools/call', { name: 'a', task: { ttl: 1 }, _meta: { [related]: { taskId }, other: 1 } });
  const tasks = createTasks(() => true);
  tasks.note(of('alice', 'tools/call'), { task: { taskId: 't' } });
  expect(tasks.ofCall(call('alice', 't')).params).toEqual(call('alice', 't').params);
  expect(tasks.ofCall(call('bob', 't')).params).toEqual({ name: 'a', task: { ttl: 1 }, _meta: { other: 1 } });
  expect(createTasks(() => false).ofCall(call('alice', 't')).params).toEqual({ name: 'a', _meta: { other: 1 } });
  const plain = of('alice', 'tools/call', { name: 'a' });
  expect(createTasks(() => false).ofCall(plain)).toBe(plain);
});
