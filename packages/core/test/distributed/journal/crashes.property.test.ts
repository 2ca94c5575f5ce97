/** Whatever a turn goes through, and whenever its processes die: every call has one result, the record has no gap, and what is journaled is not done again. */
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

/** Nothing comes at the very moment of the deadline or of the wish for the end: which is first would be anybody's guess. */
const scenes = turnScene.map(({ cancelAt, turn, ...scene }): TurnScene => ({
  ...scene,
  cancelAt: cancelAt === undefined ? undefined : cancelAt + 0.25,
  turn: { ...turn, timeoutMs: turn.timeoutMs + 0.125 },
}));

interface Begun extends Attempt {
  readonly isJournaled: boolean;
}

interface Played {
  readonly turn: TurnResult;
  readonly begun: readonly Begun[];
  readonly journal: MemoryJournal;
}

async function playInProcess(scene: TurnScene): Promise<TurnResult> {
  const system = manualSystem();
  const cancel = new AbortController();
  const { profile, cancelAt } = scene;
  const service = new ToolExecutionService({ tools: toolsOf(scene, system), system, seed: 'scene', profile });
  if (cancelAt !== undefined) system.setTimer(cancelAt, () => cancel.abort('enough'));
  return system.until(service.executeTurn(planOf(scene), { signal: cancel.signal }));
}

interface Deaths extends Omit<MemoryJournalOptions, 'system'> {
  /** Times at which the process that works is killed. */
  readonly at?: readonly number[];
}

async function playJournaled(scene: TurnScene, { at = [], ...options }: Deaths = {}): Promise<Played> {
  const system = manualSystem();
  const begun: Begun[] = [];
  const { profile, cancelAt } = scene;
  const journal = memoryJournal({ system, ...options });
  const tools = toolsOf(scene, system, (attempt) => begun.push({ ...attempt, isJournaled: hasEnd(journal.entries, attempt) }));
  if (cancelAt !== undefined) system.setTimer(cancelAt, () => journal.cancel('enough'));
  for (const time of at) system.setTimer(time, () => journal.kill());
  const turn = await system.until(
    journal.run((process) => {
      const service = new ToolExecutionService({ tools, system: process.system, seed: 'scene', profile, middleware: [dyingWith(process)] });
      return runJournaledTurn({ service, turnId: 'scene', plan: planOf(scene), journal: process.journal });
    }),
  );
  return { turn, begun, journal };
}

/** What a dead process had begun it hears nothing of any more, and it begins nothing. */
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

/** Whether the journal knows how an attempt ended. */
function hasEnd(entries: readonly JournalEntry[], { callId, attempt }: Attempt): boolean {
  const texts = entries.flatMap((entry) => (entry.type === 'step' ? [entry.text] : []));
  const end = `"call":"${callId}","input":{"type":"attempt_settled","attempt":${attempt},`;
  return texts.some((text) => text.includes(end));
}

/** To the microsecond, as a journal keeps them. */
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

const endsOf = ({ outcome, results }: TurnResult): unknown => [
  outcome,
  results.map(({ callId, status, output, error, attempts }) => [callId, status, output, error?.code, attempts]),
];

function expectWhole(scene: TurnScene, { turn, begun, journal }: Played): void {
  expect(turn.results.map(({ callId }) => callId)).toEqual(scene.calls.map((_, index) => `c${index}`));
  expect(turn.trace.map(({ seq }) => seq)).toEqual(turn.trace.map((_, index) => index + 1));
  expect(turn.trace.filter(({ event_type }) => event_type === 'TurnCompleted')).toHaveLength(1);
  expect(turn.trace.filter(({ event_type }) => event_type === 'CallCompleted')).toHaveLength(scene.calls.length);
  expect(begun.filter(({ isJournaled }) => isJournaled)).toEqual([]);
  const identities = begun.map(({ callId, attempt }) => `${callId} ${attempt}`);
  const unsafe = begun.filter(({ toolName }) => scene.policies[Number(toolName.slice(5))]?.effect === 'unsafe');
  expect(new Set(unsafe.map(({ callId, attempt }) => `${callId} ${attempt}`)).size).toBe(unsafe.length);
  when(journal.deaths === 0, () => expect(new Set(identities).size).toBe(identities.length));
}

/** Calls share nothing that the order of two things of one instant decides about: over a journal what follows from a result follows a moment later. */
const separate = scenes.map(({ policies, turn, ...scene }): TurnScene => ({
  ...scene,
  turn: { ...turn, concurrency: 16, maxRetries: null },
  policies: policies.map((policy) => ({ ...policy, concurrency: false, rateLimit: false, breaker: false, retryBudget: false })),
}));

test('left alone it is the turn that it is in process: results, events and times', async () => {
  await fc.assert(
    fc.asyncProperty(separate, async (scene) => {
      const wanted = await playInProcess(scene);
      const played = await playJournaled(scene);
      expectWhole(scene, played);
      expect(endsOf(played.turn)).toEqual(endsOf(wanted));
      expect(byCall(played.turn.trace)).toEqual(byCall(wanted.trace));
    }),
    { numRuns: propertyRuns(60) },
  );
});

const deaths: fc.Arbitrary<Deaths & { readonly points: readonly number[] }> = fc.record({
  points: fc.uniqueArray(fc.nat(60), { maxLength: 4 }),
  at: fc.uniqueArray(fc.integer({ min: 1, max: 900 }), { maxLength: 3 }),
  takeOverMs: fc.constantFrom(0, 30, 700),
});

test('whenever its processes die, every call has one result, and nothing that is known is done again', async () => {
  await fc.assert(
    fc.asyncProperty(scenes, deaths, fc.nat(1_000), async (scene, { points, ...deadly }, order) => {
      let chosen = 0;
      const choose = (count: number): number => (order * ++chosen) % Math.max(count, 1);
      const played = await playJournaled(scene, { ...deadly, choose, dies: ({ index }) => points.includes(index) });
      expectWhole(scene, played);
    }),
    { numRuns: propertyRuns(100) },
  );
});

/**
 * What a journal takes in one text, and how much quick tools answer with: less than it takes, all together much more, or more by themselves. What follows from one
 * input stays together with it: an eighth has to hold the decisions about all calls that begin at once.
 */
const MOST_BYTES = 64_000;
const MOST_AT_ONCE = 3;
const paddings = fc.constantFrom(16_000, 48_000, 160_000);
/** Much of it comes in one moment. */
const crowded = scenes.map(({ scripts, turn, ...scene }): TurnScene => ({
  ...scene,
  turn: { ...turn, concurrency: Math.min(turn.concurrency, MOST_AT_ONCE) },
  scripts: scripts.map(([first, ...others]) => [{ afterMs: 0, ends: 'ok' }, ...(first ? [first] : []), ...others]),
}));

test('over a journal that takes no large texts, too', async () => {
  let split = 0;
  const draws = [crowded, paddings, deaths, fc.nat(1_000)] as const;
  await fc.assert(
    fc.asyncProperty(...draws, async (drawn, padding, { points, ...deadly }, order) => {
      const scene = { ...drawn, padding };
      let chosen = 0;
      // Half of the time first calls' steps are worked before the turn's own first.
      const choose = (count: number): number => (order % 2 === 0 ? count - 1 : (order * ++chosen) % Math.max(count, 1));
      const played = await playJournaled(scene, { ...deadly, choose, mostBytes: MOST_BYTES, dies: ({ index }) => points.includes(index) });
      expectWhole(scene, played);
      if (played.journal.entries.some((entry) => entry.type === 'step' && entry.name.includes(' more '))) split += 1;
    }),
    { numRuns: propertyRuns(100), examples: sameDraws(10, ...draws) },
  );
  expect(split).toBeGreaterThan(0);
});

/** Nothing in it depends on how long something takes, on what else runs, or on what must not be made twice. */
const calm = turnScene.map(({ scripts, policies, ...scene }): TurnScene => ({
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
    // What a server asked of one call holds while another fails, or no longer does; and of many retries some find the budget empty: both go by what was when.
    waitForRecovery: false,
    retryBudget: false,
    retry: { maxAttempts: 3, maxTotalTimeMs: 50_000 },
  })),
}));

test('where nothing depends on time, it comes to the same wherever its processes die', async () => {
  await fc.assert(
    fc.asyncProperty(calm, fc.constantFrom(undefined, 16_000, 40_000), deaths, async (drawn, padding, { points, at = [] }) => {
      const scene = padding === undefined ? drawn : { ...drawn, padding };
      const wanted = await playInProcess(scene);
      const played = await playJournaled(scene, { at, mostBytes: MOST_BYTES, dies: ({ index }) => points.includes(index) });
      expectWhole(scene, played);
      expect(endsOf(played.turn)).toEqual(endsOf(wanted));
    }),
    { numRuns: propertyRuns(60) },
  );
});
