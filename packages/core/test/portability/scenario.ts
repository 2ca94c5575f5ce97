/**
 * Owns what every engine must do identically: draws, delays, transitions and snapshot, bit for bit. It is bundled and run
 * without Node, so it uses only ECMAScript and the core.
 */
import { circuitState, createBreaker, record, tryAcquire } from '../../src/engine/breaker/breaker.ts';
import { restore, save } from '../../src/engine/breaker/snapshot.ts';
import { backoffDelayMs } from '../../src/engine/backoff/backoff.ts';
import { drawAt, nameAt } from '../../src/engine/backoff/random.ts';
import { defineTool, ref, ToolExecutionService } from '../../src/index.ts';
import type { RetrySettings } from '../../src/engine/settings/settings.ts';

/** The whole public interface, so that all of it is evaluated on every engine. */
export * as core from '../../src/index.ts';

const settings: RetrySettings = {
  strategy: 'exponential_backoff',
  initialDelayMs: 100,
  maxDelayMs: 800,
  multiplier: 2,
  stepMs: 100,
  jitter: 'proportional',
  jitterPercent: 10,
  maxAttempts: 5,
  maxTotalTimeMs: 2000,
};

const delays = (): readonly number[] =>
  [1, 2, 3, 4, 5].map((retry) => backoffDelayMs({ settings, retry, random: drawAt('seed', 'turn', 'call', String(retry)) }));

/** Five failures open the circuit, the open period passes, one probe closes it; it is saved and restored in between. */
function circuit(): readonly string[] {
  const seen: string[] = [];
  const breaker = createBreaker({ openMs: 1000 });
  const attempt = (outcome: 'success' | 'transient', now: number): void => {
    const admission = tryAcquire(breaker, now);
    if (admission.kind === 'permit') record(breaker, admission.permit, { outcome, durationMs: 1 }, now);
    seen.push(`${String(now)} ${admission.kind} ${circuitState(breaker, now)}`);
  };
  for (const now of [1, 2, 3, 4, 5, 6]) attempt('transient', now);
  const saved = JSON.parse(JSON.stringify(save(breaker, { now: 6, nowEpochMs: 1_000_006 }))) as ReturnType<typeof save>;
  const again = createBreaker({ openMs: 1000 });
  restore(again, saved, { now: 50, nowEpochMs: 1_000_006 });
  seen.push(`restored ${circuitState(again, 50)} ${circuitState(again, 50 + saved.openLeftMs)}`);
  attempt('success', 1006);
  attempt('success', 1007);
  return seen;
}

/** A real turn with the clock and timers of the engine: a retry, a timeout that the tool detects, an alternative, a reference. */
async function turn(): Promise<readonly string[]> {
  const heard: string[] = [];
  let failures = 0;
  const service = new ToolExecutionService({
    seed: 'portable',
    tools: [
      defineTool({
        name: 'flaky',
        retry: { initialDelayMs: 2 },
        run: () => {
          if (++failures < 3) throw new Error('Service unavailable (503)');
          return { price: 42 };
        },
      }),
      defineTool({
        name: 'hung',
        timeoutMs: 20,
        retry: { maxAttempts: 1 },
        alternatives: ['spare'],
        run: (_args: unknown, { signal }) =>
          new Promise<never>(() =>
            signal.addEventListener('abort', () => heard.push(`aborted: ${(signal.reason as Error).message}`), { once: true }),
          ),
      }),
      defineTool({ name: 'spare', run: (args: unknown) => args }),
    ],
  });
  const { results, summary, trace } = await service.executeTurn({
    calls: [
      { callId: 'first', toolName: 'flaky' },
      { callId: 'second', toolName: 'hung', arguments: { price: ref('first', 'price') } },
    ],
  });
  const said = results.map(
    ({ toolName, status, servedBy, attempts, output }) => `${toolName} ${status} ${servedBy} ${String(attempts)} ${JSON.stringify(output)}`,
  );
  return [...said, summary, ...heard, ...trace.map(({ event_type }) => event_type)];
}

export interface ScenarioReport {
  readonly name: string;
  readonly delays: readonly number[];
  readonly circuit: readonly string[];
  readonly turn: readonly string[];
}

export const scenario = async (): Promise<ScenarioReport> => ({
  name: nameAt('seed', 'turn', 'call'),
  delays: delays(),
  circuit: circuit(),
  turn: await turn(),
});
