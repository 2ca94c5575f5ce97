/** For any turn and any process deaths: every call has one result, the trace has no gap, and work with a journaled result is not repeated. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Middleware, TraceEvent, TurnResult } from '../../../src/index.ts';
import { ToolExecutionService } from '../../../src/index.ts';
import { runJournaledTurn } from '../../../src/distributed/journal/index.ts';
import type { JournalEntry } from '../../../src/distributed/journal/index.ts';
import type { JournalProcess, MemoryJournal, MemoryJournalOptions } from '../../../src/testing/index.ts';
import { manualSystem, memoryJournal } from '../../../src/testing/index.ts';
import type { Attempt, TurnScene } from '../../support/turn-scenes.ts';
import { planOf, toolsOf, turnScene } from '../../support/turn-scenes.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { when } from '../../support/when.ts';
import { sameDraws } from '../../support/same-draws.ts';

/** Nothing happens at the exact moment of the deadline or the cancellation, since the order would be undefined. */
const scenes = turnScene.map(({ cancelAt, turn, ...scene }): TurnScene => ({
  ...scene,
  cancelAt: cancelAt === undefined ? undefined : cancelAt + 0.25,
  turn: { ...turn, timeoutMs: turn.timeoutMs + 0.125 },
}));

interface StartedAttempt extends Attempt {
  readonly isJournaled: boolean;
}

interface Run {
  readonly turn: TurnResult;
  readonly started: readonly StartedAttempt[];
  readonly journal: MemoryJournal;
}

async function runInProcess(scene: TurnScene): Promise<TurnResult> {
  const system = manualSystem();
  const cancel = new AbortController();
  const { profile, cancelAt } = scene;
  const service = new ToolExecutionService({ tools: toolsOf(scene, system), system, seed: 'scene', profile });
  if (cancelAt !== undefined) system.setTimer(cancelAt, () => cancel.abort('enough'));
  return system.until(service.executeTurn(planOf(scene), { signal: cancel.signal }));
}

interface Deaths extends Omit<MemoryJournalOptions, 'system'> {
  /** Times at which the running process is killed. */
  readonly at?: readonly number[];
}

async function runJournaled(scene: TurnScene, { at = [], ...options }: Deaths = {}): Promise<Run> {
  const system = manualSystem();
  const started: StartedAttempt[] = [];
  const { profile, cancelAt } = scene;
  const journal = memoryJournal({ system, ...options });
  const tools = toolsOf(scene, system, (attempt) => started.push({ ...attempt, isJournaled: hasEnd(journal.entries, attempt) }));
  if (cancelAt !== undefined) system.setTimer(cancelAt, () => journal.cancel('enough'));
  for (const time of at) system.setTimer(time, () => journal.kill());
  const turn = await system.until(
    journal.run((process) => {
      const service = new ToolExecutionService({ tools, system: process.system, seed: 'scene', profile, middleware: [dyingWith(process)] });
      return runJournaledTurn({ service, turnId: 'scene', plan: planOf(scene), journal: process.journal });
    }),
  );
  return { turn, started, journal };
}

/** A dead process starts nothing, and gets no results of the attempts that it had started. */
function dyingWith(process: JournalProcess): Middleware {
  return (run) => (args, context) =>
    new Promise((resolve, reject) => {
      if (!process.alive) return;
      Promise.resolve(run(args, context)).then(
        (output) => process.alive && resolve(output),
        (error: Error) => process.alive && reject(error),
      );
    });
}

/** Whether the journal has the end of an attempt. */
function hasEnd(entries: readonly JournalEntry[], { callId, attempt }: Attempt): boolean {
  const texts = entries.flatMap((entry) => (entry.type === 'step' ? [entry.text] : []));
  const settled = `"call":"${callId}","input":{"type":"attempt_settled","attempt":${attempt},`;
  return texts.some((text) => text.includes(settled));
}

/** Rounds to microseconds, the precision of a journal. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1e3) / 1e3 : value;
}

function byCall(events: readonly TraceEvent[]): Readonly<Record<string, readonly unknown[]>> {
  const calls: Record<string, unknown[]> = {};
  const end = events.findIndex(({ event_type }) => event_type === 'TurnCompleted') + 1;
  for (const { seq: _seq, timestamp: _at, ...event } of JSON.parse(JSON.stringify(events.slice(0, end)), rounded) as TraceEvent[]) {
    const { execution_id: _execution, ...rest } = event as { readonly execution_id?: string };
    (calls['call_id' in event ? (event.call_id ?? '') : ''] ??= []).push(rest);
  }
  return calls;
}

const outcomesOf = ({ outcome, results }: TurnResult): unknown => [
  outcome,
  results.map(({ callId, status, output, error, attempts }) => [callId, status, output, error?.code, attempts]),
];

function expectConsistent(scene: TurnScene, { turn, started, journal }: Run): void {
  expect(turn.results.map(({ callId }) => callId)).toEqual(scene.calls.map((_, index) => `c${index}`));
  expect(turn.trace.map(({ seq }) => seq)).toEqual(turn.trace.map((_, index) => index + 1));
  expect(turn.trace.filter(({ event_type }) => event_type === 'TurnCompleted')).toHaveLength(1);
  expect(turn.trace.filter(({ event_type }) => event_type === 'CallCompleted')).toHaveLength(scene.calls.length);
  expect(started.filter(({ isJournaled }) => isJournaled)).toEqual([]);
  const identities = started.map(({ callId, attempt }) => `${callId} ${attempt}`);
  const unsafe = started.filter(({ toolName }) => scene.policies[Number(toolName.slice(5))]?.effect === 'unsafe');
  expect(new Set(unsafe.map(({ callId, attempt }) => `${callId} ${attempt}`)).size).toBe(unsafe.length);
  when(journal.deaths === 0, () => expect(new Set(identities).size).toBe(identities.length));
}

/** Calls share no limits, since their effect depends on the order of events at one moment: with a journal, the consequences of a result come slightly later. */
const independent = scenes.map(({ policies, turn, ...scene }): TurnScene => ({
  ...scene,
  turn: { ...turn, concurrency: 16, maxRetries: null },
  policies: policies.map((policy) => ({ ...policy, concurrency: false, rateLimit: false, breaker: false, retryBudget: false })),
}));

test('without process deaths a turn has the same results, events and times as in process', async () => {
  await fc.assert(
    fc.asyncProperty(independent, async (scene) => {
      const expected = await runInProcess(scene);
      const run = await runJournaled(scene);
      expectConsistent(scene, run);
      expect(outcomesOf(run.turn)).toEqual(outcomesOf(expected));
      expect(byCall(run.turn.trace)).toEqual(byCall(expected.trace));
    }),
    { numRuns: propertyRuns(60) },
  );
});

const deaths: fc.Arbitrary<Deaths & { readonly points: readonly number[] }> = fc.record({
  points: fc.uniqueArray(fc.nat(60), { maxLength: 4 }),
  at: fc.uniqueArray(fc.integer({ min: 1, max: 900 }), { maxLength: 3 }),
  takeOverMs: fc.constantFrom(0, 30, 700),
});

test('every call has one result, and journaled work is not repeated, whenever the processes die', async () => {
  await fc.assert(
    fc.asyncProperty(scenes, deaths, fc.nat(1_000), async (scene, { points, ...deadly }, order) => {
      let chosen = 0;
      const choose = (count: number): number => (order * ++chosen) % Math.max(count, 1);
      const run = await runJournaled(scene, { ...deadly, choose, dies: ({ index }) => points.includes(index) });
      expectConsistent(scene, run);
    }),
    { numRuns: propertyRuns(100) },
  );
});

/**
 * The journal's limit for a text, and the sizes of the outputs of quick tools: below the limit but above it together, or above it alone. The answers to an input
 * stay with it: an eighth of the limit must fit the decisions about all calls that start at once.
 */
const MAX_BYTES = 64_000;
const MAX_CONCURRENCY = 3;
const paddings = fc.constantFrom(16_000, 48_000, 160_000);
/** Many inputs arrive at one moment. */
const crowded = scenes.map(({ scripts, turn, ...scene }): TurnScene => ({
  ...scene,
  turn: { ...turn, concurrency: Math.min(turn.concurrency, MAX_CONCURRENCY) },
  scripts: scripts.map(([first, ...others]) => [{ afterMs: 0, ends: 'ok' }, ...(first ? [first] : []), ...others]),
}));

test('every call has one result on a journal with a size limit', async () => {
  let split = 0;
  const draws = [crowded, paddings, deaths, fc.nat(1_000)] as const;
  await fc.assert(
    fc.asyncProperty(...draws, async (drawn, padding, { points, ...deadly }, order) => {
      const scene = { ...drawn, padding };
      let chosen = 0;
      // In half of the runs the steps of the first calls run before the step that opens the turn.
      const choose = (count: number): number => (order % 2 === 0 ? count - 1 : (order * ++chosen) % Math.max(count, 1));
      const run = await runJournaled(scene, { ...deadly, choose, maxBytes: MAX_BYTES, dies: ({ index }) => points.includes(index) });
      expectConsistent(scene, run);
      if (run.journal.entries.some((entry) => entry.type === 'step' && entry.name.includes(' more '))) split += 1;
    }),
    { numRuns: propertyRuns(100), examples: sameDraws(10, ...draws) },
  );
  expect(split).toBeGreaterThan(0);
});

/** Nothing depends on durations, on concurrent work, or on tools that must not run twice. */
const timeIndependent = turnScene.map(({ scripts, policies, ...scene }): TurnScene => ({
  ...scene,
  cancelAt: undefined,
  turn: { ...scene.turn, timeoutMs: 60_000, concurrency: 16, maxRetries: null },
  scripts: scripts.map((script) =>
    script.map(({ afterMs, ends }) => ({ afterMs, ends: ends === 'never' || ends === 'partial' ? 'ok' : ends })),
  ),
  policies: policies.map(({ retry: _retry, ...policy }) => ({
    ...policy,
    timeoutMs: 5_000,
    effect: 'read',
    concurrency: false,
    rateLimit: false,
    hedge: false,
    breaker: false,
    // Holds of a server and the retry budget depend on the order of events in time.
    waitForRecovery: false,
    retryBudget: false,
    retry: { maxAttempts: 3, maxTotalTimeMs: 50_000 },
  })),
}));

test('a turn that does not depend on time has the same results wherever the processes die', async () => {
  await fc.assert(
    fc.asyncProperty(timeIndependent, fc.constantFrom(undefined, 16_000, 40_000), deaths, async (drawn, padding, { points, at = [] }) => {
      const scene = padding === undefined ? drawn : { ...drawn, padding };
      const expected = await runInProcess(scene);
      const run = await runJournaled(scene, { at, maxBytes: MAX_BYTES, dies: ({ index }) => points.includes(index) });
      expectConsistent(scene, run);
      expect(outcomesOf(run.turn)).toEqual(outcomesOf(expected));
    }),
    { numRuns: propertyRuns(60) },
  );
});
