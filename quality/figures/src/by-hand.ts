import { type Entry, type HandAttempt, type HandCall, type HandOutcome, isLost, text } from './by-hand-calls.ts';

/** Counts in the words of the API: `failed` includes `refused`. */
export interface HandCounts {
  readonly calls: number;
  readonly first_try: number;
  readonly recovered: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly skipped: number;
  readonly rejected: number;
  readonly refused: number;
}

const count = (calls: readonly HandCall[], ...outcomes: readonly HandOutcome[]): number =>
  calls.filter(({ outcome }) => outcomes.includes(outcome)).length;

export const countsByHand = (calls: readonly HandCall[]): HandCounts => ({
  calls: calls.length,
  first_try: count(calls, 'first_try'),
  recovered: count(calls, 'recovered'),
  failed: count(calls, 'failed', 'refused'),
  cancelled: count(calls, 'cancelled'),
  skipped: count(calls, 'skipped'),
  rejected: count(calls, 'rejected'),
  refused: count(calls, 'refused'),
});

interface HandShare {
  readonly part: number;
  readonly whole: number;
}

/** Of the calls that say something about their tool: skipped, cancelled and rejected ones are in no denominator. */
const failureShareByHand = (calls: readonly HandCall[]): HandShare => ({
  part: calls.filter(isLost).length,
  whole: count(calls, 'first_try', 'recovered', 'failed', 'refused'),
});

export interface HandTool {
  readonly toolId: string;
  readonly counts: HandCounts;
  readonly failure: HandShare;
  /** Of the attempts that this tool ran, for whichever call. */
  readonly attempts: number;
  /** Attempts that were answered or timed out, by outcome. */
  readonly attemptOutcomes: Readonly<Record<'success' | 'transient' | 'permanent' | 'neutral', number>>;
  readonly timeouts: number;
  readonly retries: number;
  readonly retriesSucceeded: number;
  readonly errorsByCode: Readonly<Record<string, number>>;
  readonly opened: number;
  readonly refusals: number;
  /** Calls that this tool answered in the place of another one. */
  readonly servedForOthers: number;
  /** Ids of its calls that were lost, latest first. */
  readonly lostCalls: readonly string[];
  readonly circuit: 'closed' | 'open' | 'half_open';
  /** Calls with at least one attempt, and the attempts that were made for them. */
  readonly callsRun: number;
  readonly attemptsForCalls: number;
}

const tally = (values: readonly string[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

const circuitOf = (toolId: string, entries: readonly Entry[]): HandTool['circuit'] => {
  const last = entries.findLast((entry) => entry['tool_id'] === toolId && entry.event_type.startsWith('CircuitBreaker'));
  if (last?.event_type === 'CircuitBreakerOpened') return 'open';
  return last?.event_type === 'CircuitBreakerHalfOpened' ? 'half_open' : 'closed';
};

/** A retry is one of the tool that ran it: an attempt after an earlier attempt of the same tool in the same call. */
const retriesBy = (toolId: string, calls: readonly HandCall[]): readonly HandAttempt[] =>
  calls.flatMap(({ attempts }) =>
    attempts.filter(
      (attempt) =>
        attempt.toolId === toolId &&
        !attempt.isHedge &&
        attempts.some((earlier) => earlier.number < attempt.number && earlier.toolId === toolId),
    ),
  );

export const toolByHand = (toolId: string, calls: readonly HandCall[], entries: readonly Entry[]): HandTool => {
  const own = calls.filter((call) => call.toolId === toolId);
  const attempts = calls.flatMap((call) => call.attempts).filter((attempt) => attempt.toolId === toolId);
  const ended = (outcome: string): number => attempts.filter((attempt) => attempt.outcome === outcome).length;
  const retries = retriesBy(toolId, calls);
  const events = (type: string): number => entries.filter((entry) => entry.event_type === type && entry['tool_id'] === toolId).length;
  const run = own.filter((call) => call.attempts.length > 0);
  return {
    toolId,
    counts: countsByHand(own),
    failure: failureShareByHand(own),
    attempts: attempts.length,
    attemptOutcomes: { success: ended('success'), transient: ended('transient'), permanent: ended('permanent'), neutral: ended('neutral') },
    timeouts: attempts.filter(({ isTimedOut }) => isTimedOut).length,
    retries: retries.length,
    retriesSucceeded: retries.filter(({ outcome }) => outcome === 'success').length,
    errorsByCode: tally(attempts.flatMap(({ code }) => (code === undefined ? [] : [code]))),
    opened: events('CircuitBreakerOpened'),
    refusals: events('CallRefused'),
    servedForOthers: calls.filter(
      ({ completed, toolId: requested }) => completed['status'] === 'success' && completed['served_by'] === toolId && requested !== toolId,
    ).length,
    lostCalls: own
      .filter(isLost)
      .map(({ callId }) => callId)
      .toReversed(),
    circuit: circuitOf(toolId, entries),
    callsRun: run.length,
    attemptsForCalls: run.reduce((sum, call) => sum + call.attempts.length, 0),
  };
};

export interface HandTurn {
  readonly turnId: string;
  readonly outcome: string;
  readonly durationMs: number;
  readonly counts: HandCounts;
  readonly attempts: number;
  readonly retries: number;
  /** What the turn's own end says. */
  readonly isEscalated: boolean;
  readonly isDeadlineMissed: boolean;
  readonly didUseAlternative: boolean;
  readonly tools: readonly string[];
  readonly codes: readonly string[];
  /** Milliseconds that its calls waited, by what they waited for. */
  readonly waitedMs: Readonly<Record<string, number>>;
  /** Milliseconds that the call waited at gates which waited longest. */
  readonly longestWaitMs: number;
}

const waitedAtGates = (waits: HandCall['waits']): number =>
  waits.filter(({ waitsFor }) => waitsFor !== 'backoff').reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);

const sumWaits = (calls: readonly HandCall[]): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = {};
  for (const { waitsFor, fromMs, toMs } of calls.flatMap(({ waits }) => waits)) sums[waitsFor] = (sums[waitsFor] ?? 0) + toMs - fromMs;
  return sums;
};

export const turnByHand = (turnId: string, calls: readonly HandCall[], entries: readonly Entry[]): HandTurn => {
  const own = calls.filter((call) => call.turnId === turnId);
  const events = entries.filter(({ turn_id }) => turn_id === turnId);
  const end = events.find(({ event_type }) => event_type === 'TurnCompleted');
  const has = (type: string): boolean => events.some(({ event_type }) => event_type === type);
  const codes = events
    .filter(({ event_type }) => ['ToolError', 'CallRefused', 'CallCompleted'].includes(event_type))
    .map((entry) => text(entry, 'code'))
    .filter((code) => code !== '');
  return {
    turnId,
    outcome: text(end, 'outcome'),
    durationMs: typeof end?.['duration_ms'] === 'number' ? end['duration_ms'] : 0,
    counts: countsByHand(own),
    attempts: own.reduce((sum, { attempts }) => sum + attempts.length, 0),
    retries: own.reduce((sum, { retries }) => sum + retries, 0),
    isEscalated: end?.['escalated'] === true,
    isDeadlineMissed: has('TurnDeadlineReached'),
    didUseAlternative: has('AlternativeUsed'),
    tools: [...new Set(own.map(({ toolId }) => toolId))].toSorted(),
    codes: [...new Set(codes)].toSorted(),
    waitedMs: sumWaits(own),
    longestWaitMs: Math.max(0, ...own.map(({ waits }) => waitedAtGates(waits))),
  };
};
