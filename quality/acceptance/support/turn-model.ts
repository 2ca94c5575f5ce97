/** The specification of a turn as a plain program: dependencies, cascades (S0 5) and the deadline (S0 4.2), call after call. It shares no code with the packages. */
export interface ModelCall {
  readonly does: 'succeed' | 'fail' | 'recover' | 'alternative' | 'hang_alternative' | 'fallback' | 'hang';
  readonly afterMs: number;
  /** Earlier calls, by index. */
  readonly dependsOn: readonly number[];
  /** The dependencies that have a default. */
  readonly defaults: readonly number[];
  readonly optional: boolean;
  readonly critical: boolean;
}

export const idOf = (index: number): string => `call_${index}`;
/** Other calls refer to all of it or to a part. */
export const outputOf = (index: number, what: 'output' | 'fallback' | 'default'): unknown =>
  // What is empty is a value too.
  index % 5 === 0
    ? { output: index === 0 ? '' : false, fallback: index === 0 ? 0 : '', default: index === 0 ? null : [] }[what]
    : { text: `${what} of ${index}`, parts: [index, null, { deep: [what] }] };
/** The part of an output that a reference to this call takes, and its path. */
export const pathsOf = (index: number): string | undefined => [undefined, 'text', 'parts.0', 'parts.2.deep.0', 'parts.1'][index % 5];
export const toolTimeoutMs = 1_000;
export const alternativeMs = 40;
const retryDelayMs = 100;
export const retryMs = 5;

interface ModelEnding {
  readonly status: 'success' | 'error' | 'timeout';
  readonly attempts: number;
  readonly skipped: boolean;
  readonly startedAt: number | undefined;
  readonly endedAt: number;
  /** Other calls run on it. */
  readonly output: unknown;
  readonly usedDefaults: readonly number[];
  readonly missing: readonly number[];
  readonly byDeadline: boolean;
  readonly fallbackUsed: boolean;
  readonly stoppedBy: 'deadline' | undefined;
}

export interface ModelTurn {
  readonly calls: readonly ModelEnding[];
  readonly endedAt: number;
  readonly outcome: 'success' | 'partial' | 'failed' | 'deadline';
  readonly escalated: boolean;
}

const unstarted = {
  attempts: 0,
  startedAt: undefined,
  output: undefined,
  fallbackUsed: false,
  usedDefaults: [],
  missing: [],
  stoppedBy: undefined,
} as const;

export function modelTurn(calls: readonly ModelCall[], deadline: number): ModelTurn {
  const endings: ModelEnding[] = [];
  for (const [index, call] of calls.entries()) endings.push(endingOf(call, index, endings, deadline));
  const late = endings.some(({ byDeadline }) => byDeadline);
  const lost = calls.some(({ optional }, index) => !optional && endings[index]?.status !== 'success');
  const some = endings.some(({ status }) => status === 'success');
  return {
    calls: endings,
    endedAt: late ? deadline : Math.max(0, ...endings.map(({ endedAt }) => endedAt)),
    outcome: late ? 'deadline' : !lost ? 'success' : some ? 'partial' : 'failed',
    escalated: calls.some(({ critical }, index) => critical && endings[index]?.status !== 'success'),
  };
}

function endingOf(call: ModelCall, index: number, before: readonly ModelEnding[], deadline: number): ModelEnding {
  const dependencies = call.dependsOn.map((each) => [each, before[each] as ModelEnding] as const);
  const readyAt = Math.max(0, ...dependencies.map(([, { endedAt }]) => endedAt));
  const expired: ModelEnding = { ...unstarted, status: 'timeout', skipped: false, endedAt: deadline, byDeadline: true };
  if (readyAt >= deadline || dependencies.some(([, { byDeadline }]) => byDeadline)) return expired;
  const lost = dependencies.filter(([, { output }]) => output === undefined).map(([each]) => each);
  const missing = call.optional ? lost : lost.filter((each) => !call.defaults.includes(each));
  if (missing.length > 0) return { ...unstarted, status: 'error', skipped: true, endedAt: readyAt, missing, byDeadline: false };
  return run(call, index, readyAt, deadline, lost);
}

function run(call: ModelCall, index: number, startedAt: number, deadline: number, usedDefaults: readonly number[]): ModelEnding {
  const base = {
    skipped: false,
    startedAt,
    usedDefaults,
    missing: [],
    byDeadline: false,
    fallbackUsed: false,
    stoppedBy: undefined,
  } as const;
  const first = startedAt + (call.does.startsWith('hang') ? toolTimeoutMs : call.afterMs);
  const output = outputOf(index, 'output');
  const expired = (attempts: number): ModelEnding => ({
    ...base,
    status: 'timeout',
    attempts,
    endedAt: deadline,
    output: undefined,
    byDeadline: true,
  });
  if (first >= deadline) return expired(1);
  switch (call.does) {
    case 'succeed':
      return { ...base, status: 'success', attempts: 1, endedAt: first, output };
    case 'fail':
      return { ...base, status: 'error', attempts: 1, endedAt: first, output: undefined };
    case 'hang':
      return { ...base, status: 'timeout', attempts: 1, endedAt: first, output: undefined };
    case 'fallback':
      return { ...base, status: 'error', attempts: 1, endedAt: first, output: outputOf(index, 'fallback'), fallbackUsed: true };
    case 'recover': {
      if (first + retryDelayMs >= deadline)
        return { ...base, status: 'error', attempts: 1, endedAt: first, output: undefined, stoppedBy: 'deadline' };
      const again = first + retryDelayMs + retryMs;
      return again >= deadline ? expired(2) : { ...base, status: 'success', attempts: 2, endedAt: again, output };
    }
    case 'alternative':
    case 'hang_alternative': {
      const other = first + alternativeMs;
      return other >= deadline ? expired(2) : { ...base, status: 'success', attempts: 2, endedAt: other, output, fallbackUsed: true };
    }
  }
}
