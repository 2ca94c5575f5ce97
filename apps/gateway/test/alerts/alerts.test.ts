/** Alerting: firing alerts are notified, and actions of operators take effect. */
import { describe, expect, test } from 'vitest';
import { createScene, hook } from './scene.ts';

const minute = 60_000;
const bodies = (posts: readonly { readonly body: string }[]) =>
  posts.map(({ body }) => {
    const { status, alerts } = JSON.parse(body) as { status: string; alerts: { status: string; labels: { alertname: string } }[] };
    return `${status}: ${alerts.map(({ status: own, labels }) => `${labels.alertname} ${own}`).join(', ')}`;
  });

test('an opened circuit is notified within a second, once, and so is its end', async () => {
  const scene = createScene();
  await scene.call(3);
  expect(scene.alerts.active()).toMatchObject([{ name: 'CircuitOpen', state: 'firing', tool_id: 'a', call_id: expect.any(String) }]);
  expect(scene.posts).toEqual([]);
  await scene.system.advance(1_000);
  expect(bodies(scene.posts)).toEqual(['firing: CircuitOpen firing']);
  await scene.system.advance(5 * minute);
  scene.set('works');
  await scene.call();
  await scene.system.advance(4 * minute); // It has to stay closed for five minutes.
  expect(scene.posts).toHaveLength(1);
  await scene.system.advance(2 * minute);
  expect(bodies(scene.posts)).toEqual(['firing: CircuitOpen firing', 'resolved: CircuitOpen resolved']);
  const { events } = scene.alerts.history({ limit: 10 });
  expect(events.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['resolved CircuitOpen', 'firing CircuitOpen']);
  expect(scene.alerts.list().receivers).toMatchObject([
    { name: 'hook', target: '127.0.0.1:9/hook', last_delivery: { status: 'delivered', attempts: 1 } },
  ]);
});

test('without receivers, an opened circuit is an alert, and nothing is sent', async () => {
  const scene = createScene({ alerts: {} });
  expect(scene.entry(undefined as never)).toEqual(scene.entry({}));
  await scene.call(3);
  await scene.system.advance(5 * minute);
  expect(scene.alerts.active()).toMatchObject([{ name: 'CircuitOpen', state: 'firing', tool_id: 'a' }]);
  expect([scene.posts, scene.alerts.list().receivers]).toEqual([[], []]);
});

test('an alert that continues to fire is notified again after the repeat interval', async () => {
  const scene = createScene({ alerts: { repeat_interval_ms: 10 * minute, receivers: [hook] } });
  await scene.call(3);
  await scene.system.advance(25 * minute);
  expect(bodies(scene.posts)).toEqual(Array(3).fill('firing: CircuitOpen firing'));
});

describe('a silence', () => {
  const request = { matchers: [{ name: 'tool', value: 'a|b', is_regex: true }], duration_ms: 10 * minute, comment: 'maintenance' };

  test('suppresses an alert until it expires', async () => {
    const scene = createScene();
    const { id } = scene.alerts.silence(request, { by: 'ops' });
    await scene.call(3);
    await scene.system.advance(9 * minute);
    expect(scene.posts).toEqual([]);
    expect(scene.alerts.active()).toMatchObject([{ state: 'firing', silenced_by: [id] }]);
    await scene.system.advance(2 * minute);
    expect(bodies(scene.posts)).toEqual(['firing: CircuitOpen firing']);
    expect(scene.alerts.list().silences).toMatchObject([{ id, state: 'expired', created_by: 'ops' }]);
    expect(scene.alerts.history({ limit: 10 }).events.map(({ kind }) => kind)).toEqual(['silence_ended', 'firing', 'silenced']);
  });

  test('takes effect at once, and so does its end: not at the next evaluation', async () => {
    const scene = createScene({ alerts: { interval_ms: 10 * minute, receivers: [hook] } });
    await scene.call(3);
    await scene.system.advance(11 * minute);
    expect(scene.alerts.active()).toMatchObject([{ state: 'firing', silenced_by: [] }]);
    const { id } = scene.alerts.silence(request, { by: 'ops' });
    expect(scene.alerts.active()).toMatchObject([{ silenced_by: [id] }]);
    scene.alerts.endSilence(id, { by: 'ops' });
    expect(scene.alerts.active()).toMatchObject([{ silenced_by: [] }]);
  });

  test('ends when an operator ends it', async () => {
    const scene = createScene();
    await scene.call(3);
    const { id } = scene.alerts.silence(request, { by: 'ops' });
    await scene.system.advance(minute);
    expect(scene.posts).toEqual([]);
    expect(scene.alerts.endSilence(id, { by: 'ops' })).toMatchObject({ id, state: 'expired' });
    await scene.system.advance(2_000);
    expect(bodies(scene.posts)).toEqual(['firing: CircuitOpen firing']);
    expect(scene.alerts.endSilence('none', { by: 'ops' })).toBeUndefined();
    expect(scene.alerts.endSilence(id, { by: 'ops' })).toMatchObject({ state: 'expired' });
    expect(scene.alerts.history({ limit: 10 }).events.filter(({ kind }) => kind === 'silence_ended')).toHaveLength(1);
  });

  test('does not suppress the end of an alert that receivers know', async () => {
    const scene = createScene();
    await scene.call(3);
    await scene.system.advance(2_000);
    scene.alerts.silence(request, { by: 'ops' });
    scene.set('works');
    await scene.system.advance(31_000);
    await scene.call();
    await scene.system.advance(6 * minute);
    expect(bodies(scene.posts)).toEqual(['firing: CircuitOpen firing', 'resolved: CircuitOpen resolved']);
  });

  test('rejects an invalid pattern', () => {
    const scene = createScene();
    const bad = { ...request, matchers: [{ name: 'tool', value: '(', is_regex: true }] };
    expect(() => scene.alerts.silence(bad, { by: 'ops' })).toThrow(RangeError);
    expect(scene.alerts.list().silences).toEqual([]);
  });
});

test('an acknowledged alert is not repeated; its end is notified', async () => {
  const scene = createScene({ alerts: { repeat_interval_ms: minute, receivers: [hook] } });
  await scene.call(3);
  await scene.system.advance(2_000);
  const [alert] = scene.alerts.active();
  const fingerprint = alert?.fingerprint ?? '';
  expect(scene.alerts.acknowledge(fingerprint, { by: 'ada', comment: 'on it' })).toMatchObject({
    acknowledged: { by: 'ada', comment: 'on it' },
  });
  expect(scene.alerts.acknowledge('0000000000000000', { by: 'ada' })).toBeUndefined();
  await scene.system.advance(5 * minute);
  expect(scene.posts).toHaveLength(1);
  scene.set('works');
  await scene.call();
  await scene.system.advance(6 * minute);
  expect(bodies(scene.posts)).toEqual(['firing: CircuitOpen firing', 'resolved: CircuitOpen resolved']);
  expect(scene.alerts.history({ limit: 10 }).events).toContainEqual(
    expect.objectContaining({ kind: 'acknowledged', by: 'ada', text: 'on it', name: 'CircuitOpen' }),
  );
});

test('a withdrawn acknowledgement notifies again', async () => {
  const scene = createScene({ alerts: { repeat_interval_ms: minute, receivers: [hook] } });
  await scene.call(3);
  const fingerprint = scene.alerts.active()[0]?.fingerprint ?? '';
  scene.alerts.acknowledge(fingerprint, { by: 'ada' });
  await scene.system.advance(5 * minute);
  expect(scene.posts).toEqual([]);
  expect(scene.alerts.withdraw(fingerprint, { by: 'bob' })).not.toHaveProperty('acknowledged');
  expect(scene.alerts.withdraw('0000000000000000', { by: 'bob' })).toBeUndefined();
  await scene.system.advance(2_000);
  expect(bodies(scene.posts)).toEqual(['firing: CircuitOpen firing']);
  expect(scene.alerts.history({ limit: 10 }).events[0]).toMatchObject({ kind: 'acknowledgement_withdrawn', by: 'bob' });
});

test('a tool with few calls that is wholly down is reported within a minute after its fifth failed call', async () => {
  const scene = createScene();
  scene.set('rejects');
  for (let index = 0; index < 4; index++) {
    await scene.call();
    await scene.system.advance(20 * minute);
  }
  expect(scene.posts).toEqual([]);
  await scene.call();
  await scene.system.advance(minute);
  expect(bodies(scene.posts)).toEqual(['firing: ToolDown firing']);
});

test('a resolved alert reads as resolved in the list of changes', async () => {
  const scene = createScene();
  await scene.call(3);
  scene.set('works');
  await scene.system.advance(minute);
  await scene.call();
  await scene.system.advance(6 * minute);
  expect(scene.notes.map(({ text }) => text)).toEqual(['Circuit breaker of a has opened', 'Circuit breaker of a has opened: resolved']);
});

test('an alert that an open circuit explains is inhibited', async () => {
  const scene = createScene({ alerts: { rules: { strict: true }, receivers: [hook] } });
  await scene.system.advance(minute);
  await scene.call(3);
  await scene.system.advance(20_000);
  const active = scene.alerts.active();
  const circuit = active.find(({ name }) => name === 'CircuitOpen');
  expect(active.find(({ name }) => name === 'ToolFailureRateHigh')).toMatchObject({
    state: 'firing',
    inhibited_by: [circuit?.fingerprint],
  });
  expect(bodies(scene.posts)).toEqual(['firing: CircuitOpen firing']);
});

describe('a restart', () => {
  test('keeps silences, acknowledgements, firing alerts and the state of notifications', async () => {
    const first = createScene();
    await first.call(3);
    await first.system.advance(2_000);
    const fingerprint = first.alerts.active()[0]?.fingerprint ?? '';
    first.alerts.acknowledge(fingerprint, { by: 'ada' });
    const { id } = first.alerts.silence({ matchers: [{ name: 'tool', value: 'b' }], duration_ms: minute, comment: 'x' }, { by: 'ops' });
    await first.alerts.close(0);

    const second = createScene({ records: first.records, system: first.system });
    expect(second.alerts.list().silences).toMatchObject([{ id, state: 'active' }]);
    await second.system.advance(6 * minute);
    // The circuit of the new process is closed, so the alert is resolved, and its receivers are notified.
    expect(bodies(second.posts)).toEqual(['resolved: CircuitOpen resolved']);
    expect(first.posts).toHaveLength(1);
    expect(second.alerts.history({ limit: 10 }).events.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['firing', 'acknowledged', 'silenced', 'resolved']),
    );
  });

  test('does not restore state that another process owns', async () => {
    const { records } = createScene();
    records.saveState('owner', '4711', 0);
    const other = createScene({ records, isAlive: (pid) => pid === 4711 });
    const silence = { matchers: [{ name: 'tool', value: 'a' }], duration_ms: minute, comment: 'x' };
    other.alerts.silence(silence, { by: 'ops' });
    await other.alerts.close(0);
    expect([records.state('owner'), records.state('engine')]).toEqual(['4711', undefined]);
    const after = createScene({ records, isAlive: () => false });
    after.alerts.silence(silence, { by: 'ops' });
    await after.alerts.close(0);
    expect(records.state('owner')).toBe('0');
    expect(createScene({ records }).alerts.list().silences).toHaveLength(1);
  });

  test('ends deliveries of the previous process', async () => {
    const first = createScene({ answer: () => new Promise(() => undefined) });
    await first.call(3);
    await first.system.advance(2_000);
    expect(first.alerts.deliveries(1).deliveries).toMatchObject([{ status: 'waiting' }]);
    const second = createScene({ records: first.records });
    expect(second.alerts.deliveries(1).deliveries).toMatchObject([{ status: 'failed', code: 'INTERRUPTED' }]);
  });

  test('starts from an empty state if the saved one cannot be read, and reports it', () => {
    const records = createScene().records;
    records.saveState('engine', '{"version":7}', 0);
    records.saveState('notifier', 'nonsense', 0);
    const scene = createScene({ records });
    expect(scene.alerts.active()).toEqual([]);
    expect(scene.faults).toHaveLength(2);
  });
});

test('a reload applies other rules and receivers, and keeps the state of notifications', async () => {
  const scene = createScene();
  await scene.call(3);
  await scene.system.advance(2_000);
  scene.alerts.apply(
    scene.entry({ repeat_interval_ms: minute, receivers: [hook, { ...hook, name: 'other', url: 'http://127.0.0.1:9/other' }] }),
  );
  await scene.system.advance(2_000);
  expect(scene.posts.map(({ url }) => url)).toEqual(['http://127.0.0.1:9/hook', 'http://127.0.0.1:9/other']);
  scene.alerts.apply(scene.entry({ enabled: false, receivers: [hook] }));
  await scene.system.advance(5 * minute);
  // Receivers that know the alert are notified of its end, and of nothing else.
  expect(bodies(scene.posts.slice(2))).toEqual(['resolved: CircuitOpen resolved']);
  await scene.call(3);
  await scene.system.advance(5 * minute);
  expect(scene.posts).toHaveLength(3);
  expect(scene.alerts.list()).toMatchObject({ alerts: [], rules: [] });
  expect(scene.alerts.receivers()).toEqual(['hook']);
});

test('a receiver that does not answer is notified later, and its failures are in the log', async () => {
  let isDown = true;
  const scene = createScene({ answer: () => new Response('no', { status: isDown ? 503 : 200 }) });
  await scene.call(3);
  await scene.system.advance(2 * minute);
  const { deliveries } = scene.alerts.deliveries(10);
  expect(deliveries.at(-1)).toMatchObject({
    receiver: 'hook',
    status: 'failed',
    attempts: 5,
    code: expect.any(String),
    error: expect.stringContaining('503'),
  });
  isDown = false;
  await scene.system.advance(10 * minute);
  expect(scene.alerts.deliveries(1).deliveries).toMatchObject([{ status: 'delivered' }]);
});

test('no answer, log or body contains a secret', async () => {
  const secret = 's3cr3t-value';
  const scene = createScene({
    alerts: {
      receivers: [
        { name: 'slack', kind: 'slack', url: { env: 'SLACK' } },
        { name: 'own', kind: 'webhook', url: 'http://127.0.0.1:9/x', headers: { authorization: { env: 'TOKEN', prefix: 'Bearer ' } } },
      ],
    },
    environment: { SLACK: `http://127.0.0.1:9/services/${secret}`, TOKEN: secret },
    answer: ({ url, headers }) => new Response(`cannot post to ${url} with ${headers['authorization'] ?? 'nothing'}`, { status: 400 }),
  });
  await scene.call(3);
  scene.alerts.silence({ matchers: [{ name: 'tool', value: 'b' }], duration_ms: minute, comment: `because of ${secret}` }, { by: 'ops' });
  await scene.system.advance(minute);
  const test_ = scene.alerts.test('slack');
  await scene.system.advance(minute);
  expect(await test_).toMatchObject({ status: 'failed', test: true });
  expect(scene.posts.some(({ url }) => url.includes(secret))).toBe(true);
  const reported = JSON.stringify([
    scene.alerts.deliveries(50),
    scene.alerts.history({ limit: 50 }),
    scene.alerts.list().receivers,
    scene.faults,
    scene.posts.map(({ body }) => body),
  ]);
  expect(reported).not.toContain(secret);
});

test('a variable that is not set is named in the delivery log', async () => {
  const scene = createScene({ alerts: { receivers: [{ name: 'slack', kind: 'slack', url: { env: 'SLACK' } }] } });
  const tested = scene.alerts.test('slack');
  await scene.system.advance(minute);
  expect(await tested).toMatchObject({ status: 'failed', attempts: 1, error: expect.stringContaining('SLACK') });
  expect(scene.posts).toEqual([]);
  expect(await scene.alerts.test('none')).toBeUndefined();
});

test('a failing database is reported once, and alerting continues', async () => {
  const fails = (): never => {
    throw new Error('disk full');
  };
  const records = { addEvent: fails, events: fails, saveDelivery: fails, deliveries: fails, saveState: fails, state: fails };
  const scene = createScene({ records });
  await scene.call(3);
  await scene.system.advance(minute);
  expect(bodies(scene.posts)).toEqual(['firing: CircuitOpen firing']);
  expect(scene.alerts.list().alerts).toHaveLength(1);
  expect(scene.faults).toEqual(['Alert events are not recorded: disk full']);
});
