/** Turns recorded from the real engine with a manual clock, as input for the models. */
import {
  defineTool,
  type RecoveryRule,
  ref,
  type ToolCall,
  ToolExecutionService,
  type TraceEvent,
  type TurnSettings,
} from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';

interface Step {
  readonly takesMs: number;
  /** Default: the attempt succeeds. */
  readonly error?: { readonly status: number; readonly retryAfterMs?: number };
  /** The attempt never settles. */
  readonly hangs?: true;
}

type Script = readonly Step[];

const ok = (takesMs: number): Step => ({ takesMs });
const fails = (takesMs: number, status = 503): Step => ({ takesMs, error: { status } });
const hangs: Step = { takesMs: 0, hangs: true };

interface Recording {
  readonly tools: readonly Parameters<typeof defineTool>[0][];
  readonly calls: readonly ToolCall[];
  readonly turn?: Partial<TurnSettings>;
  readonly recoveryRules?: readonly RecoveryRule[];
  /** How long time advances after the turn, for late work. */
  readonly afterMs?: number;
}

export async function record(
  make: (run: (script: Script) => (args: unknown, context: { readonly signal: AbortSignal }) => Promise<unknown>) => Recording,
): Promise<readonly TraceEvent[]> {
  const system = manualSystem();
  const wait = (delayMs: number): Promise<void> => new Promise((resolve) => void system.setTimer(delayMs, resolve));
  const run = (script: Script) => {
    let visit = 0;
    return async (): Promise<unknown> => {
      const step = script[Math.min(visit, script.length - 1)] ?? ok(0);
      visit += 1;
      if (step.hangs) return new Promise(() => {});
      await wait(step.takesMs);
      if (step.error) throw Object.assign(new Error(`HTTP ${step.error.status}`), step.error);
      return { visit };
    };
  };
  const { tools, calls, turn = {}, recoveryRules = [], afterMs = 0 } = make(run);
  const events: TraceEvent[] = [];
  const service = new ToolExecutionService({
    tools: tools.map((tool) => defineTool(tool)),
    system,
    capture: 'all',
    recoveryRules,
    seed: 'dashboard',
  });
  service.subscribe((event) => events.push(event));
  await system.until(service.executeTurn({ turnId: 'recorded', ...turn, calls }));
  await system.advance(afterMs);
  return events;
}

/** The first call of a tool gets a Retry-After; the second comes 50 ms later. */
export const held = (retryAfterMs: number): Promise<readonly TraceEvent[]> =>
  record((run) => ({
    tools: [
      { name: 'limited', run: run([{ takesMs: 50, error: { status: 429, retryAfterMs } }, ok(10)]) },
      { name: 'pace', run: run([ok(100)]) },
    ],
    calls: [
      { callId: 'told', toolName: 'limited' },
      { callId: 'pace', toolName: 'pace' },
      { callId: 'other', toolName: 'limited', dependsOn: ['pace'] },
    ],
  }));

/** A failing tool with an alternative, a hanging tool, cascading skips and a default. */
export const troubled = (): Promise<readonly TraceEvent[]> =>
  record((run) => ({
    tools: [
      { name: 'flights', alternatives: ['flights_backup'], retry: { initialDelayMs: 100, maxAttempts: 3 }, run: run([fails(50)]) },
      { name: 'flights_backup', run: run([ok(80)]) },
      { name: 'weather', retry: { initialDelayMs: 100 }, run: run([fails(20), fails(20), ok(30)]) },
      { name: 'activities', timeoutMs: 300, retry: { maxAttempts: 2, initialDelayMs: 100 }, run: run([hangs]) },
      { name: 'prices', run: run([ok(40)]) },
      { name: 'book', run: run([ok(10)]) },
    ],
    turn: { timeoutMs: 10_000 },
    calls: [
      { callId: 'flights', toolName: 'flights', arguments: { to: 'LIS' } },
      { callId: 'weather', toolName: 'weather' },
      { callId: 'activities', toolName: 'activities', optional: true },
      { callId: 'prices', toolName: 'prices', arguments: { a: ref('activities'), f: ref('flights') }, defaults: { activities: [] } },
      { callId: 'book', toolName: 'book', arguments: { a: ref('activities') }, optional: true },
      { callId: 'confirm', toolName: 'book', dependsOn: ['book'], optional: true },
    ],
    afterMs: 100_000,
  }));

export const deadlined = (): Promise<readonly TraceEvent[]> =>
  record((run) => ({
    tools: [
      { name: 'quick', run: run([ok(50)]) },
      { name: 'slow', run: run([ok(2000)]) },
      { name: 'flaky', retry: { initialDelayMs: 400, jitter: 'none' }, run: run([fails(200)]) },
    ],
    turn: { timeoutMs: 500 },
    calls: [
      { callId: 'quick', toolName: 'quick' },
      { callId: 'slow', toolName: 'slow' },
      { callId: 'flaky', toolName: 'flaky' },
      { callId: 'after', toolName: 'quick', dependsOn: ['slow'] },
    ],
    afterMs: 5000,
  }));

/** A permanent error, and a recovery rule that denies retries. */
export const refused = (): Promise<readonly TraceEvent[]> =>
  record((run) => ({
    tools: [
      { name: 'gone', run: run([fails(10, 410)]) },
      { name: 'booking', effect: 'unsafe', run: run([fails(10)]) },
      { name: 'breaking', breaker: { failureThreshold: 2 }, retry: { initialDelayMs: 10 }, run: run([fails(10)]) },
    ],
    recoveryRules: [{ name: 'never-twice', when: { effect: ['unsafe'] }, deny: ['retry'], reason: 'The booking may exist.' }],
    calls: [
      { callId: 'gone', toolName: 'gone' },
      { callId: 'booking', toolName: 'booking' },
      { callId: 'breaking', toolName: 'breaking' },
      { callId: 'again', toolName: 'breaking', dependsOn: [] },
    ],
    turn: { concurrency: 3 },
  }));

/** A turn with this many calls. Each needs five attempts. */
export const large = (calls: number): Promise<readonly TraceEvent[]> =>
  record((run) => {
    const names = Array.from({ length: calls }, (_, index) => `tool_${String(index).padStart(4, '0')}`);
    return {
      tools: names.map((name) => ({
        name,
        breaker: false as const,
        retry: { initialDelayMs: 10, maxAttempts: 5 },
        run: run([fails(5), fails(5), fails(5), fails(5), ok(5)]),
      })),
      calls: names.map((name, index) => ({
        callId: name,
        toolName: name,
        dependsOn: index % 10 === 0 ? [] : [names[index - 1] ?? ''],
      })),
      turn: { timeoutMs: null as unknown as number, concurrency: 50 },
    };
  });
