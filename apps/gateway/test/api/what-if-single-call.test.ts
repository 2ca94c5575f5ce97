/** `POST /v1/turns/{turn_id}/what-if` for single calls. */
import { defineTool, type TraceEvent } from '@holdfast/core';
import { expect, test } from 'vitest';
import { TurnWork } from '../../src/api/turn-work/turn-work.ts';
import type { WhatIfAnswer } from '../../src/contract.ts';
import { createKit } from './kit.ts';

const down = (): never => {
  throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
};

const retry = { maxAttempts: 2, initialDelayMs: 1, jitter: 'none' } as const;
let uses = 0;
const tools = [defineTool({ name: 'flaky', retry, breaker: false, run: () => (++uses % 2 === 1 ? down() : { found: true }) })] as const;

test('a single call is replayed like a turn, and says which settings it does not have', async () => {
  uses = 0;
  const kit = createKit({ tools });
  await kit.post('/v1/calls', { tool_id: 'flaky', arguments: {} });
  const { turns } = (await kit.get('/v1/turns')).body as { readonly turns: readonly { readonly turn_id: string }[] };
  const path = `/v1/turns/${turns[0]?.turn_id}/what-if`;
  const answer = (await kit.post(path, { tools: { flaky: { retry_policy: { max_attempts: 1 } } } })).body as unknown as WhatIfAnswer;
  expect(answer).toMatchObject({
    recorded: { outcome: 'success', attempts: 2 },
    unchanged: { outcome: 'success', attempts: 2 },
    replayed: { outcome: 'failed', attempts: 1, calls_failed: 1 },
    ranges: { attempts: { low: 1, high: 1 }, whole: { low: 0, high: 0 } },
    unknown_attempts: 0,
    assumptions: [],
  });
  const [start] = answer.events;
  expect(start).toMatchObject({ event_type: 'CallStarted', settings: { tools: { flaky: { breaker: false } } } });
  expect((await kit.post(path, { turn: { timeout_ms: 5 } })).body).toMatchObject({
    replayed: { outcome: 'success' },
    unknown_attempts: 0,
    assumptions: ['The call belongs to no turn, so the time limit and the concurrency of turns do not change it.'],
  });
  expect(await kit.post(path, { tools: { flakey: {} } })).toMatchObject({ status: 422 });
});

test('a single call that an older version recorded cannot be replayed, and the answer says why', async () => {
  const older: TraceEvent[] = [];
  const kit = createKit({ tools });
  kit.service.subscribe((event) => void older.push(event));
  await kit.post('/v1/calls', { tool_id: 'flaky', arguments: {} });
  const events = JSON.parse(JSON.stringify(older, (key, value: unknown) => (key === 'settings' ? undefined : value))) as TraceEvent[];
  const reply = new TurnWork({ running: 1, events: 1_000 }).ask({
    events,
    task: { kind: 'what_if', changes: {} },
    signal: new AbortController().signal,
  });
  expect(await reply).toMatchObject({
    refusal: { status: 422, error: { code: 'NOT_REPLAYABLE', message: expect.stringContaining('which older versions did not record') } },
  });
});
