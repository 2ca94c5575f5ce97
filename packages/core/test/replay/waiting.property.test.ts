/** Turns whose calls wait out outages under `adaptive`: their replay from the record decides the same and tells the same, waits and their numbers included. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnyTool, ToolPolicy, TraceEvent } from '../../src/index.ts';
import { defineTool, ToolExecutionService } from '../../src/index.ts';
import { replayTurn } from '../../src/replay/index.ts';
import type { ManualSystem } from '../../src/testing/index.ts';
import { manualSystem } from '../../src/testing/index.ts';

interface Outage {
  readonly fromMs: number;
  readonly forMs: number;
  readonly how: '503' | '429' | 'hangs';
}

interface Scene {
  readonly outages: readonly Outage[];
  readonly waitMs: number;
  readonly turnMs: number | null;
  readonly calls: readonly { readonly after: readonly number[] }[];
  readonly effect: 'read' | 'idempotent' | 'unsafe';
  readonly alternatives: boolean;
  readonly policy: ToolPolicy;
}

const outage: fc.Arbitrary<Outage> = fc.record({
  fromMs: fc.constantFrom(0, 5, 400, 3_000),
  forMs: fc.constantFrom(50, 900, 4_000, 30_000),
  how: fc.constantFrom('503', '429', 'hangs'),
});

const scene: fc.Arbitrary<Scene> = fc.record({
  outages: fc.array(outage, { minLength: 1, maxLength: 2 }),
  waitMs: fc.constantFrom(700, 5_000, 60_000),
  turnMs: fc.constantFrom(null, 2_000, 20_000),
  calls: fc.array(fc.record({ after: fc.array(fc.nat(11), { maxLength: 1 }) }), { minLength: 1, maxLength: 12 }),
  effect: fc.constantFrom('read', 'idempotent', 'unsafe'),
  alternatives: fc.boolean(),
  policy: fc.constantFrom<ToolPolicy[]>(
    {},
    { breaker: { failureThreshold: 2, falseAlarmRate: 0.5 } },
    { concurrency: { adaptive: { initialLimit: 2, minLimit: 1, maxLimit: 2 } } },
    { rateLimit: { limit: 3, windowMs: 500 } },
    { breaker: { count: 'call' } },
  ),
});

const WORK_MS = 30;

function answerOf(outages: readonly Outage[], system: ManualSystem): Promise<string> {
  const now = system.now();
  const down = outages.find(({ fromMs, forMs }) => now >= fromMs && now < fromMs + forMs);
  return new Promise((resolve, reject) => {
    if (down?.how === 'hangs') return;
    system.setTimer(WORK_MS, () => {
      if (!down) return resolve('found');
      const headers = down.how === '429' ? { headers: { 'retry-after': String((down.fromMs + down.forMs - now) / 1_000) } } : {};
      reject(Object.assign(new Error('down'), { status: Number(down.how), ...headers }));
    });
  });
}

async function record({ outages, waitMs, turnMs, calls, effect, alternatives, policy }: Scene): Promise<readonly TraceEvent[]> {
  const system = manualSystem();
  const own = { ...policy, timeoutMs: 1_000, effect, waitForRecovery: { maxWaitMs: waitMs } };
  const search = defineTool({
    name: 'search',
    ...own,
    ...(alternatives && { alternatives: ['archive', 'backup'] }),
    run: () => answerOf(outages, system),
  });
  const others = ['archive', 'backup'].map((name, index) =>
    defineTool({ name, timeoutMs: 1_000, run: () => answerOf(outages.slice(index, 1), system) }),
  );
  const tools: readonly AnyTool[] = [search, ...others];
  const service = new ToolExecutionService({ tools, system, seed: 'scene', profile: 'adaptive', turn: { timeoutMs: turnMs } });
  const events: TraceEvent[] = [];
  service.subscribe((event) => void events.push(event));
  const plan = calls.map(({ after }, index) => ({
    toolName: 'search',
    callId: `c${index}`,
    arguments: {},
    dependsOn: [...new Set(after.filter((other) => other < index).map((other) => `c${other}`))],
  }));
  await system.until(service.executeTurn({ turnId: 'scene', calls: plan }));
  await system.advance(100_000);
  await service.close();
  return JSON.parse(JSON.stringify(events.filter(({ turn_id }) => turn_id === 'scene'))) as TraceEvent[];
}

/** A call that waited is told so once at the start of the wait, and how long it was once at its end. */
function expectWaitsTold(events: readonly TraceEvent[]): number {
  const since = new Map<string, number>();
  let waits = 0;
  for (const event of events) {
    if (!('call_id' in event) || event.call_id === undefined) continue;
    if (event.event_type === 'AdmissionWaiting' && event.queued !== undefined) {
      expect(since.has(event.call_id)).toBe(false);
      since.set(event.call_id, event.elapsed_ms);
      waits += 1;
    }
    const ends = (event.event_type === 'AttemptStarted' && event.hedge !== true) || event.event_type === 'CallRefused';
    if (!ends) continue;
    const from = since.get(event.call_id);
    since.delete(event.call_id);
    if (from === undefined) expect(event.wait_ms).toBeUndefined();
    else expect(event.wait_ms).toBeCloseTo(event.elapsed_ms - from, 6);
  }
  return waits;
}

test('a turn that waited is replayed to the letter', async () => {
  let waits = 0;
  await fc.assert(
    fc.asyncProperty(scene, async (given) => {
      const recorded = await record(given);
      waits += expectWaitsTold(recorded);
      const { differences, assumptions } = replayTurn(recorded);
      expect(differences).toEqual([]);
      expect(assumptions).toEqual([]);
    }),
    { numRuns: 100 },
  );
  expect(waits).toBeGreaterThan(50);
});

test('nobody is sent twice whose action may have happened, however long it may wait', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (given) => {
      const recorded = await record({ ...given, effect: 'unsafe', alternatives: false });
      const timedOut = new Set(recorded.flatMap((event) => (event.event_type === 'ToolTimeout' ? [event.call_id] : [])));
      for (const callId of timedOut) {
        const ofCall = recorded.filter((event) => 'call_id' in event && event.call_id === callId);
        const last = ofCall.findIndex(({ event_type }) => event_type === 'ToolTimeout');
        expect(ofCall.slice(last).some(({ event_type }) => event_type === 'AttemptStarted')).toBe(false);
      }
    }),
    { numRuns: 60 },
  );
});
