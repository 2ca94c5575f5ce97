/** The timeline of a circuit: its outcomes, and which of them caused each change. */
import { expect, it } from 'vitest';
import type { CircuitChange } from '../../../src/projections/history/records.ts';
import type { CircuitRule } from '../../../src/projections/history/circuit-cause.ts';
import { createHistory } from '../../../src/projections/history/history.ts';
import type { ToolPolicy } from '../../../src/engine/settings/settings.ts';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import { type Outcome, play } from './scenes.ts';

interface Timeline {
  readonly outcomes: readonly Outcome[];
  readonly calls: number;
  readonly breaker: NonNullable<Exclude<ToolPolicy['breaker'], false>>;
  readonly attempts?: number;
  readonly pauseMs?: number;
}

async function eventsOf({ outcomes, calls, breaker, attempts = 1, pauseMs = 100 }: Timeline): Promise<readonly TraceEvent[]> {
  const { events } = await play({
    outcomes: { work: outcomes },
    policies: { work: { breaker, retry: { maxAttempts: attempts, initialDelayMs: 10 } } },
    calls: Array.from({ length: calls }, () => 'work'),
    pauseMs,
  });
  return events;
}

const timelineOf = async (timeline: Timeline): Promise<readonly CircuitChange[]> =>
  changesOf(await eventsOf(timeline), ruleOf(timeline.breaker));

const ruleOf = ({
  failureThreshold = 5,
  successThreshold = 1,
  permanentProbeLimit = 3,
  count,
  rate,
}: Timeline['breaker']): CircuitRule => ({
  failureThreshold,
  successThreshold,
  permanentProbeLimit,
  countsCalls: count === 'call',
  ...(rate ? { rate } : {}),
});

function changesOf(events: readonly TraceEvent[], rule: CircuitRule | undefined): readonly CircuitChange[] {
  const history = createHistory({ ruleOf: () => rule });
  for (const event of events) history.observe(event);
  return history.take().circuitChanges.map(({ change }) => change);
}

/** `+` success, `t` transient, `p` permanent; capital letters, or `*` for a success, when it is counted. */
const picture = ({ samples }: CircuitChange): string =>
  samples
    .map(({ outcome, counted }) => {
      const letter = outcome === 'success' ? '+' : outcome.slice(0, 1);
      return counted ? (letter === '+' ? '*' : letter.toUpperCase()) : letter;
    })
    .join('');

it('counts consecutive failures that open a circuit, and nothing before them', async () => {
  const outcomes = ['down', 'good', 'down', 'wrong', 'down', 'down', 'down'] as const;
  const [opened] = await timelineOf({ outcomes, calls: 7, breaker: { failureThreshold: 3 } });
  expect(opened).toMatchObject({ id: 1, from: 'closed', to: 'open', reason: 'failure_threshold', failure_count: 3 });
  expect(opened && picture(opened)).toBe('t+tpTTT');
});

it('includes the outcome that opened a circuit although the trace reports the opening first', async () => {
  const [opened] = await timelineOf({ outcomes: ['down'], calls: 1, breaker: { failureThreshold: 1 } });
  expect(opened?.samples).toMatchObject([
    {
      outcome: 'transient',
      code: 'NETWORK_ERROR',
      error: 'connect ECONNREFUSED 10.0.0.0:80',
      attempt: 1,
      counted: true,
      call_id: opened?.call_id,
    },
  ]);
});

it('returns a change again once its outcome is known', async () => {
  const { events } = await play({
    outcomes: { work: ['down'] },
    policies: { work: { breaker: { failureThreshold: 1 }, retry: { maxAttempts: 1 } } },
    calls: ['work'],
  });
  const history = createHistory();
  const taken = events.flatMap((event) => {
    history.observe(event);
    return history.take().circuitChanges.map(({ change }) => change);
  });
  expect(taken.map(({ id, samples }) => [id, samples.length])).toEqual([
    [1, 0],
    [1, 1],
  ]);
});

it('counts all failures of the window when a failure rate opens a circuit', async () => {
  const rate = { windowMs: 60_000, minimumCalls: 4, failureRate: 0.5 };
  const outcomes = ['good', 'wrong', 'down', 'good', 'down'] as const;
  const [opened] = await timelineOf({ outcomes, calls: 5, breaker: { failureThreshold: 9, rate } });
  expect(opened).toMatchObject({ reason: 'failure_rate' });
  expect(opened && picture(opened)).toBe('+pT+T');
});

it('counts all slow calls, successful ones included, when a slow-call rate opens a circuit', async () => {
  const rate = { windowMs: 60_000, minimumCalls: 3, failureRate: 1, slowCallMs: 200, slowCallRate: 0.6 };
  const [opened] = await timelineOf({ outcomes: ['slow', 'good', 'slow'], calls: 3, breaker: { failureThreshold: 9, rate } });
  expect(opened).toMatchObject({ reason: 'slow_call_rate' });
  expect(opened && picture(opened)).toBe('*+*');
});

it('without the settings of a circuit, counts failures from before the window of a rate, and no slow calls', async () => {
  const failing = {
    outcomes: ['down', 'good', 'good', 'down', 'down'] as const,
    calls: 5,
    pauseMs: 1_000,
    breaker: { failureThreshold: 9, rate: { windowMs: 2_500, minimumCalls: 3, failureRate: 0.5 } },
  };
  const opened = (await eventsOf(failing)).filter(({ event_type: type }) => type === 'CircuitBreakerOpened');
  expect(opened).toMatchObject([{ reason: 'failure_rate' }]);
  const pictures = async (timeline: Timeline): Promise<readonly (string | undefined)[]> => {
    const events = await eventsOf(timeline);
    return [ruleOf(timeline.breaker), undefined].map((rule) => changesOf(events, rule)[0]).map((change) => change && picture(change));
  };
  expect(await pictures(failing)).toEqual(['t++TT', 'T++TT']);
  const rate = { windowMs: 60_000, minimumCalls: 3, failureRate: 1, slowCallMs: 200, slowCallRate: 0.6 };
  const slow = { outcomes: ['slow', 'good', 'slow'] as const, calls: 3, breaker: { failureThreshold: 9, rate } };
  expect(await pictures(slow)).toEqual(['*+*', '+++']);
});

it('counts the failed probe that opens a circuit again and the successful ones that close it', async () => {
  const outcomes = ['down', 'down', 'good', 'good'] as const;
  const changes = await timelineOf({
    outcomes,
    calls: 4,
    breaker: { failureThreshold: 1, openMs: 500, successThreshold: 2 },
    pauseMs: 600,
  });
  expect(changes.map(({ from, to, reason }) => `${from} ${to} ${reason}`)).toEqual([
    'closed open failure_threshold',
    'open half_open open_period_elapsed',
    'half_open open probe_failed',
    'open half_open open_period_elapsed',
    'half_open closed probe_succeeded',
  ]);
  expect(changes.map(picture)).toEqual(['T', 't', 'tT', 'tt', 'tt**']);
  expect(changes.at(-1)?.samples.map(({ probe }) => probe)).toEqual([undefined, true, true, true]);
});

it('counts the probes with permanent errors that close a circuit', async () => {
  const changes = await timelineOf({
    outcomes: ['down', 'wrong'],
    calls: 3,
    breaker: { failureThreshold: 1, openMs: 500, permanentProbeLimit: 2 },
    pauseMs: 600,
  });
  expect(changes.at(-1)).toMatchObject({ to: 'closed', reason: 'permanent_probes' });
  expect(changes.at(-1) && picture(changes.at(-1) as CircuitChange)).toBe('tPP');
});

it('leaves out retried attempts for a circuit that counts calls', async () => {
  const breaker = { failureThreshold: 2, count: 'call' as const };
  const [opened] = await timelineOf({ outcomes: ['down'], calls: 2, breaker, attempts: 3 });
  expect(opened?.samples.map(({ attempt, counted }) => [attempt, counted])).toEqual([
    [3, true],
    [3, true],
  ]);
});

it('counts nothing when an operator changes a circuit', async () => {
  const { events, service } = await play({ outcomes: { work: ['good'] }, calls: ['work'] });
  const allEvents: TraceEvent[] = [...events];
  service.subscribe((event) => void allEvents.push(event));
  service.controlCircuit('work', 'forced_open');
  service.controlCircuit('work', 'reset');
  const changes = changesOf(allEvents, ruleOf({}));
  expect(changes.map(({ from, to, reason }) => `${from} ${to} ${reason}`)).toEqual(['closed open manual', 'open closed manual']);
  expect(changes.map(picture)).toEqual(['+', '+']);
});

it('counts work that outlives its turn and opens a circuit', async () => {
  const history = createHistory();
  const at = (seq: number) => ({
    turn_id: 'turn',
    seq,
    timestamp: new Date(1_000 * seq).toISOString(),
    elapsed_ms: seq,
    call_id: 'a',
    tool_id: 'work',
  });
  const circuit = { circuit_breaker_state: 'closed' } as const;
  const opening = { message: '', reason: 'failure_threshold', failure_count: 1 };
  const events: readonly TraceEvent[] = [
    { ...at(1), event_type: 'CallStarted' },
    { ...at(2), event_type: 'AttemptStarted', attempt: 1, timeout_ms: 9, ...circuit },
    { ...at(3), event_type: 'CallCompleted', status: 'error', code: 'TURN_DEADLINE', served_by: 'work', attempts: 1, execution_time_ms: 1 },
    { ...at(4), event_type: 'CircuitBreakerOpened', ...opening },
    { ...at(5), event_type: 'LateResult', attempt: 1, result: 'late_failure', duration_ms: 3 },
  ];
  for (const event of events) history.observe(event);
  expect(history.take().circuitChanges).toMatchObject([
    { change: { samples: [{ outcome: 'transient', code: 'LATE_FAILURE', counted: true }] } },
  ]);
});

it('continues from known state, outcomes and ids', async () => {
  const { events } = await play({
    outcomes: { work: ['down'] },
    policies: { work: { breaker: { failureThreshold: 1 }, retry: { maxAttempts: 1 } } },
    calls: ['work'],
  });
  const first = createHistory();
  for (const event of events) first.observe(event);
  const { circuitChanges: circuits } = first.take();
  const second = createHistory({ circuits, firstCircuitChange: 2 });
  expect(second.samplesOf('work')).toMatchObject([{ outcome: 'transient', counted: false }]);
  const [opened] = events.filter(({ event_type }) => event_type === 'CircuitBreakerOpened');
  second.observe({ ...opened, event_type: 'CircuitBreakerHalfOpened' } as TraceEvent);
  expect(second.take().circuitChanges).toMatchObject([{ change: { id: 2, from: 'open', to: 'half_open' } }]);
});

it('changes of the circuits of partitions are reported, and are no part of the timeline', () => {
  const history = createHistory();
  const at = { turn_id: 't', seq: 1, timestamp: new Date(0).toISOString(), elapsed_ms: 0, tool_id: 'work', message: '' };
  const opened = { event_type: 'CircuitBreakerOpened', reason: 'failure_threshold', failure_count: 5 } as const;
  history.observe({ ...at, ...opened, partition: 'alice' });
  history.observe({ ...at, ...opened, partition: 'bob' });
  history.observe({ ...at, event_type: 'CircuitBreakerClosed', reason: 'probe_succeeded', partition: 'alice' });
  expect(history.takeChanges().map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'circuit_opened: Circuit of work for alice opened: 5 failures in a row',
    'circuit_opened: Circuit of work for bob opened: 5 failures in a row',
    'circuit_closed: Circuit of work for alice closed: the test call succeeded',
  ]);
  expect(history.take().circuitChanges).toEqual([]);
  history.observe({ ...at, ...opened });
  expect(history.take().circuitChanges).toMatchObject([{ change: { id: 1, from: 'closed', to: 'open' } }]);
});
