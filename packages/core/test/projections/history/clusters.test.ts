/** Clusters of similar failures: their patterns, and how their calls ended. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterRecord } from '../../../src/projections/history/records.ts';
import { createHistory } from '../../../src/projections/history/history.ts';
import { mergeClusters } from '../../../src/projections/history/merge-clusters.ts';
import { patternOf, signatureOf } from '../../../src/projections/history/failure-signature.ts';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import { anyScene, play, type SceneOptions } from './scenes.ts';

async function clustersOf(options: SceneOptions): Promise<readonly ClusterRecord[]> {
  const { events } = await play(options);
  return folded(events).clusters();
}

function folded(events: readonly TraceEvent[], options: Parameters<typeof createHistory>[0] = {}) {
  const history = createHistory(options);
  for (const event of events) history.observe(event);
  return history;
}

describe('the pattern of a message', () => {
  it.each([
    ['connect ECONNREFUSED 127.0.0.1:80', 'connect ECONNREFUSED <address>'],
    ['connect ECONNREFUSED ::1:5432', 'connect ECONNREFUSED <address>'],
    ['connect ECONNREFUSED [fe80::1]:5432', 'connect ECONNREFUSED <address>'],
    ['fetch failed: db.internal.example:5432', 'fetch failed: <address>'],
    ['HTTP 503 from https://api.example/v1/a?b=3 after 300ms', 'HTTP <n> from <url> after <n>ms'],
    ['Request 3f2a9c1e failed: user "bob" not found', 'Request <id> failed: user <text> not found'],
    ["ENOENT: no such file, open '/tmp/a/b.txt'", 'ENOENT: no such file, open <text>'],
    ['cannot read /var/lib/a.db', 'cannot read <path>'],
    ["can't read order_123 of customer-7", "can't read <id> of <id>"],
    ['mail to ann@example.org bounced', 'mail to <email> bounced'],
    ['at 2026-11-22T10:00:00.123Z it broke', 'at <time> it broke'],
    ['id 550e8400-e29b-41d4-a716-446655440000 is gone', 'id <id> is gone'],
    ['status code 404', 'status code <n>'],
    ['off by -12.5 %', 'off by <n> %'],
    ['$.items[3].price must be a number', '$.items[<n>].price must be a number'],
    ['  two\n\tlines ', 'two lines'],
    ['permission denied', 'permission denied'],
    ['', ''],
  ])('%s', (message, pattern) => {
    expect(patternOf(message)).toBe(pattern);
  });

  it('is the same for messages that differ only in their variable parts', () => {
    const text = fc.constantFrom('connect failed to', 'user', 'was not found in', 'after', 'while reading', '(gave up)', 'because:');
    const hole = fc.constantFrom(
      ['17', '-4.5', '1,234,567'],
      ['10.0.0.1:80', '192.168.1.20', '[::1]:443'],
      ['https://a.example/x?y=1', 'http://127.0.0.1:8080/'],
      ['"a name"', '"another, longer one"', '""'],
      ['550e8400-e29b-41d4-a716-446655440000', 'order_123', '3f2a9c1e77', 'customer-7'],
      ['/tmp/a.txt', '/var/lib/x/y/z.db', './here'],
      ['ann@example.org', 'bob+x@mail.example.com'],
      ['2026-11-22T10:00:00Z', '2027-01-02'],
    );
    const part = fc.tuple(text, hole, fc.nat(), fc.nat()).map(([before, values, one, other]) => {
      const pick = (index: number): string => `${before} ${values[index % values.length]}`;
      return [pick(one), pick(other)] as const;
    });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 3 }), (parts) => {
        const [one, other] = [parts.map(([first]) => first).join(' '), parts.map(([, second]) => second).join(' ')];
        expect(patternOf(one)).toBe(patternOf(other));
      }),
    );
  });

  it('is cheap for any message', () => {
    const hostile = ['"', "'", 'a-', '0:', 'a.', '1.', '[', '/', '_1', 'a@', ':', '<', '1-', 'l', '\\'].map((part) => part.repeat(100_000));
    // More than linear time would take minutes here.
    for (const message of hostile) expect(patternOf(message).length).toBeLessThan(2_000);
  });

  it('has a different signature for another tool, code or pattern', () => {
    const all = [
      signatureOf('a', 'b', 'c'),
      signatureOf('ab', '', 'c'),
      signatureOf('a', 'bc', ''),
      signatureOf('', 'ab', 'c'),
      signatureOf('a', 'c', 'b'),
    ];
    expect(new Set(all).size).toBe(all.length);
    for (const signature of all) expect(signature).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('a cluster', () => {
  it('counts retries that worked and retries that did not', async () => {
    const [cluster] = await clustersOf({
      outcomes: { work: ['down', 'down', 'good', 'down', 'down', 'down'] },
      policies: { work: { retry: { maxAttempts: 3 } } },
      calls: ['work', 'work'],
    });
    expect(cluster).toMatchObject({
      tool_id: 'work',
      code: 'NETWORK_ERROR',
      category: 'network',
      classification: 'transient',
      pattern: 'connect ECONNREFUSED <address>',
      count: 5,
      strategies: [{ strategy: 'retry', tried: 4, succeeded: 1 }],
      calls_recovered: 1,
      calls_failed: 1,
    });
    expect(cluster?.examples.map(({ attempt, stopped_by, call_ended }) => [attempt, stopped_by, call_ended])).toEqual([
      [3, 'attempts', 'failed'],
      [2, undefined, 'failed'],
      [1, undefined, 'failed'],
      [2, undefined, 'recovered'],
      [1, undefined, 'recovered'],
    ]);
  });

  it('counts an alternative that answers', async () => {
    const [cluster] = await clustersOf({
      outcomes: { work: ['wrong'], backup: ['good'] },
      policies: { work: { alternatives: ['backup'] } },
      calls: ['work'],
    });
    expect(cluster).toMatchObject({
      code: 'INVALID_INPUT',
      strategies: [{ strategy: 'use_alternative', tried: 1, succeeded: 1 }],
      calls_recovered: 1,
    });
  });

  it('is separate for an alternative that fails, and the call counts as failed in both', async () => {
    const clusters = await clustersOf({
      outcomes: { work: ['wrong'], backup: ['wrong'] },
      policies: { work: { alternatives: ['backup'] } },
      calls: ['work'],
    });
    expect(clusters.map(({ tool_id: tool, calls_failed, strategies }) => [tool, calls_failed, strategies])).toEqual([
      ['work', 1, [{ strategy: 'use_alternative', tried: 1, succeeded: 0 }]],
      ['backup', 1, []],
    ]);
  });

  it("counts a tool's default as a recovery", async () => {
    const [cluster] = await clustersOf({ outcomes: { work: ['wrong'] }, policies: { work: { fallback: { value: 1 } } }, calls: ['work'] });
    expect(cluster).toMatchObject({
      strategies: [{ strategy: 'use_default', tried: 1, succeeded: 1 }],
      calls_recovered: 1,
      calls_failed: 0,
    });
  });

  it('has each failure once, and each call ends at most once in it', async () => {
    await fc.assert(
      fc.asyncProperty(anyScene, async (options) => {
        const { events } = await play(options);
        const clusters = folded(events).clusters();
        const failures = events.filter(({ event_type }) => event_type === 'ToolError').length;
        expect(clusters.reduce((sum, { count }) => sum + count, 0)).toBe(failures);
        for (const { strategies, calls_failed, calls_recovered, count, hours } of clusters) {
          for (const { tried, succeeded } of strategies) expect(succeeded).toBeLessThanOrEqual(tried);
          expect(calls_failed + calls_recovered).toBeLessThanOrEqual(count);
          expect(Object.values(hours).reduce((sum, each) => sum + each, 0)).toBe(count);
        }
      }),
      { numRuns: 30 },
    );
  });
});

it('known clusters continue, and are returned only when they have changed', async () => {
  const { events } = await play({ outcomes: { work: ['wrong'] }, calls: ['work'] });
  const known = folded(events).take().clusters;
  const history = createHistory({ clusters: known });
  expect(history.take().clusters).toEqual([]);
  expect(history.clusters()).toEqual(known);
  for (const event of events) history.observe(event);
  expect(history.takeChanges().filter(({ kind }) => kind === 'new_failure')).toEqual([]);
  expect(history.clusters()).toMatchObject([{ count: 2, calls_failed: 2 }]);
  const [added] = history.take().clusters;
  expect(added).toMatchObject({ count: 1, calls_failed: 1 });
  expect(history.take().clusters).toEqual([]);
});

it('additions taken in pieces add up to the cluster', async () => {
  await fc.assert(
    fc.asyncProperty(anyScene, fc.array(fc.nat(20), { maxLength: 8 }), async (options, pieces) => {
      const { events } = await play(options);
      const history = createHistory();
      const kept = new Map<string, ClusterRecord>();
      const take = (): void => {
        for (const added of history.take().clusters) {
          const known = kept.get(added.signature);
          kept.set(added.signature, known ? mergeClusters(known, added) : added);
        }
      };
      for (const [place, event] of events.entries()) {
        history.observe(event);
        if (pieces.includes(place % 21)) take();
      }
      take();
      const bySignature = (one: ClusterRecord, other: ClusterRecord): number => (one.signature < other.signature ? -1 : 1);
      expect([...kept.values()].toSorted(bySignature)).toEqual(history.clusters().toSorted(bySignature));
    }),
    { numRuns: 30 },
  );
});

it('a new kind of failure is reported as a change', async () => {
  const { events } = await play({ outcomes: { work: ['wrong'] }, calls: ['work', 'work'] });
  const changes = folded(events).takeChanges();
  expect(changes).toMatchObject([{ kind: 'new_failure', tool_id: 'work', text: 'New failure of work: INVALID_INPUT no user <n>' }]);
  expect(changes[0]?.signature).toBe(signatureOf('work', 'INVALID_INPUT', 'no user <n>'));
});

it('tool names that a model invents share one cluster', async () => {
  const { events } = await play({ outcomes: { work: ['good'] }, calls: ['made_up', 'made_up_too'] });
  const clusters = folded(events, { isKnown: (tool) => tool === 'work' }).clusters();
  expect(clusters).toMatchObject([{ tool_id: '(unknown)', code: 'UNKNOWN_TOOL', pattern: 'Unknown tool: <name>', count: 2 }]);
});
