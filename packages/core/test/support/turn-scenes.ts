/** Random turns: what their tools do in each attempt, the settings, and the dependencies of the calls. */
import fc from 'fast-check';
import type { AnyTool, AttemptContext, PlannedCall, ProfileName, System, ToolPolicy, TurnPlan } from '../../src/index.ts';
import { defineTool } from '../../src/index.ts';

type Behaviour = { readonly afterMs: number; readonly ends: 'ok' | '503' | '429' | '400' | 'reset' | 'never' | 'partial' };

const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  afterMs: fc.integer({ min: 0, max: 400 }),
  ends: fc.constantFrom('ok', '503', '429', '400', 'reset', 'never', 'partial'),
});

export const turnPolicy: fc.Arbitrary<ToolPolicy> = fc.record(
  {
    timeoutMs: fc.constantFrom(50, 300, 5_000),
    acceptPartial: fc.boolean(),
    effect: fc.constantFrom('read', 'idempotent', 'unsafe'),
    concurrency: fc.constantFrom(false as const, { limit: 1, queue: 2 }),
    hedge: fc.constantFrom(false as const, { afterMs: 40, maxHedges: 1 }),
    rateLimit: fc.constantFrom(false as const, { limit: 2, windowMs: 100 }),
    fallback: fc.constantFrom(undefined, { value: 'fallback' }),
    breaker: fc.constantFrom({ failureThreshold: 2, openMs: 200 }, { count: 'call' as const, failureThreshold: 1 }, false as const),
    retry: fc.constantFrom({ maxAttempts: 2 }, { initialDelayMs: 10 }, { jitter: 'full' as const }),
  },
  { requiredKeys: [] },
);

export interface TurnScene {
  readonly scripts: readonly (readonly Behaviour[])[];
  readonly policies: readonly ToolPolicy[];
  readonly calls: readonly {
    readonly tool: number;
    readonly after: readonly number[];
    readonly optional: boolean;
    readonly covered: boolean;
  }[];
  readonly turn: {
    readonly timeoutMs: number;
    readonly concurrency: number;
    readonly onDeadline: 'detach' | 'abort';
    readonly maxRetries: number | null;
  };
  readonly profile: ProfileName;
  /** Tools return this many additional characters; quick tools return directly, through a promise, or mixed. */
  readonly padding?: number;
  readonly cancelAt: number | undefined;
}

export const turnScene: fc.Arbitrary<TurnScene> = fc.record({
  scripts: fc.array(fc.array(behaviour, { minLength: 1, maxLength: 6 }), { minLength: 3, maxLength: 3 }),
  policies: fc.array(turnPolicy, { minLength: 3, maxLength: 3 }),
  calls: fc.array(
    fc.record({ tool: fc.nat(2), after: fc.array(fc.nat(7), { maxLength: 2 }), optional: fc.boolean(), covered: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 7,
    },
  ),
  turn: fc.record({
    timeoutMs: fc.constantFrom(150, 2_000, 60_000),
    concurrency: fc.constantFrom(1, 3, 16),
    onDeadline: fc.constantFrom('detach', 'abort'),
    maxRetries: fc.constantFrom(null, 3),
  }),
  profile: fc.constantFrom('spec', 'service', 'adaptive'),
  cancelAt: fc.option(fc.integer({ min: 1, max: 600 }), { nil: undefined, freq: 4 }),
});

const errors: Readonly<Record<'503' | '429' | '400' | 'reset', Error>> = {
  503: Object.assign(new Error('Service unavailable'), { status: 503 }),
  429: Object.assign(new Error('Too many requests'), { status: 429, headers: { 'retry-after': '0.2' } }),
  400: Object.assign(new Error('Invalid airport code: XYZ'), { status: 400 }),
  reset: Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
};

export type Attempt = Pick<AttemptContext, 'toolName' | 'callId' | 'attempt'>;

/** The tools of the scene, with their own clock. The outcome of an attempt depends only on its call and number, even if another process repeats it. `begun` is called for each. */
export function toolsOf(
  { scripts, policies, padding }: TurnScene,
  clock: System,
  begun: (attempt: Attempt) => void = () => {},
): readonly AnyTool[] {
  return scripts.map((script, index) => {
    const outcomes = new Map<string, Promise<unknown>>();
    return defineTool({
      name: `tool_${index}`,
      ...policies[index],
      ...(index === 0 ? { alternatives: ['tool_1'] } : {}),
      run: (_args: unknown, { reportPartial, ...attempt }) => {
        begun(attempt);
        const identity = `${attempt.callId} ${attempt.attempt}`;
        const number = Number(attempt.callId.slice(1)) + attempt.attempt;
        const behaviour = script[(number - 1) % script.length] as Behaviour;
        if (padding !== undefined && behaviour.ends === 'ok' && behaviour.afterMs < QUICK_MS) {
          reportPartial({ have: number, padding: 'p'.repeat(padding) });
          return `${number} ${'x'.repeat(padding)}`;
        }
        const outcome = outcomes.get(identity) ?? play(clock, behaviour, number, momentOf(attempt));
        outcomes.set(identity, outcome);
        if (behaviour.ends === 'partial') reportPartial({ have: number });
        return outcome;
      },
    });
  });
}

const QUICK_MS = 250;

/** A time that no other attempt and no limit uses: the order of two events at the same time is undefined. */
function momentOf({ callId, attempt }: Attempt): number {
  return 0.0013 + 0.0137 * (Number(callId.slice(1)) * 10 + attempt);
}

function play(clock: System, { afterMs, ends }: Behaviour, answer: number, momentMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (ends !== 'never')
      clock.setTimer(afterMs + momentMs, () => (ends === 'ok' || ends === 'partial' ? resolve(answer) : reject(errors[ends])));
  });
}

export function planOf({ calls, turn }: TurnScene): TurnPlan {
  const planned = calls.map(({ tool, after, optional, covered }, index): PlannedCall => {
    const dependsOn = [...new Set(after.filter((other) => other < index))].map((other) => `c${other}`);
    const defaults = covered ? { defaults: Object.fromEntries(dependsOn.map((name) => [name, null])) } : {};
    return { callId: `c${index}`, toolName: `tool_${tool}`, dependsOn, optional, ...defaults };
  });
  return { ...turn, turnId: 'scene', calls: planned };
}
