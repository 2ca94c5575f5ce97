/** Turns whose calls wait for the end of outages under `adaptive`: their replay has the same decisions and events, including waits and their numbers. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnyTool, ToolPolicy, TraceEvent } from '../../src/index.ts';
import { defineTool, ToolExecutionService } from '../../src/index.ts';
import { replayTurn } from '../../src/replay/index.ts';
import type { ManualSystem } from '../../src/testing/index.ts';
import { manualSystem } from '../../src/testing/index.ts';
import { sameDraws } from '../support/same-draws.ts';

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
    { breaker: { failureThreshold: 2 } },
    { concurrency: { limit: 2 } },
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
  const toolPolicy = { ...policy, timeoutMs: 1_000, effect, waitForRecovery: { maxWaitMs: waitMs } };
  const search = defineTool({
    name: 'search',
    ...toolPolicy,
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

interface Wait {
  readonly callId: string;
  /** Until the next attempt or refusal of the call; undefined when it ended in the wait. */
  readonly actualMs: number | undefined;
  readonly recordedMs: number | undefined;
}

/** Waits at gates, with their actual and recorded durations. */
function waitsIn(events: readonly TraceEvent[]): readonly Wait[] {
  return events.flatMap((event, index): readonly Wait[] => {
    if (event.event_type !== 'AdmissionWaiting' || event.queued === undefined) return [];
    const { call_id: callId } = event;
    const next = events.slice(index + 1).find((other) => 'call_id' in other && other.call_id === callId && isAdmission(other));
    const ends = next?.event_type === 'AttemptStarted' || next?.event_type === 'CallRefused' ? next : undefined;
    return [{ callId, actualMs: next && next.elapsed_ms - event.elapsed_ms, recordedMs: next && (ends?.wait_ms ?? Infinity) }];
  });
}

function isAdmission({ event_type }: TraceEvent): boolean {
  return event_type === 'AttemptStarted' || event_type === 'CallRefused' || event_type === 'AdmissionWaiting';
}

const rounded = (value: number | undefined): number | undefined => value && Math.round(value * 1e6);

test('a turn that waited is replayed exactly', async () => {
  let waits = 0;
  await fc.assert(
    fc.asyncProperty(scene, async (turn) => {
      const recorded = await record(turn);
      const turnWaits = waitsIn(recorded);
      waits += turnWaits.length;
      expect(turnWaits.map(({ recordedMs }) => rounded(recordedMs))).toEqual(turnWaits.map(({ actualMs }) => rounded(actualMs)));
      const { differences, assumptions } = replayTurn(recorded);
      expect(differences).toEqual([]);
      expect(assumptions).toEqual([]);
    }),
    { numRuns: 100, examples: sameDraws(75, scene) },
  );
  expect(waits).toBeGreaterThan(50);
});

test('an action that may have happened is never repeated, for any wait', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (turn) => {
      const recorded = await record({ ...turn, effect: 'unsafe', alternatives: false });
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
