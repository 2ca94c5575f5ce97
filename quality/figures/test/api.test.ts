/** 200 turns and 30 outages: every figure of the API, of `/metrics` and of the command line equals what is computed by hand from the events. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AlertList, CircuitTimeline, FailureList, Overview, ToolDetail, ToolHistory, ToolTile } from '@holdfast/gateway/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HandCall, isLost, text } from '../src/by-hand-calls.ts';
import { countsByHand } from '../src/by-hand.ts';
import { toolNames } from '../src/scene.ts';
import { type Observed, observeScene, total } from './observe.ts';

const root = join(import.meta.dirname, '../../..');

let observed: Observed;

beforeAll(async () => {
  observed = await observeScene();
}, 120_000);
afterAll(async () => {
  await observed?.scene[Symbol.asyncDispose]();
});

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

const withoutServed = ({ served: _served, ...counts }: ToolTile['counts']): object => counts;

test('the scene has what is to be counted', () => {
  const { calls, turns, tools } = observed;
  expect(turns).toHaveLength(200);
  const all = countsByHand(calls);
  for (const name of ['first_try', 'recovered', 'failed', 'skipped', 'refused', 'rejected'] as const) expect(all[name]).toBeGreaterThan(0);
  expect(turns.some(({ turn_id: id }) => observed.handTurn(id).longestWaitMs > 0)).toBe(true);
  expect(total([...tools.values()].map(({ opened }) => opened))).toBeGreaterThan(0);
  expect(total([...tools.values()].map(({ servedForOthers }) => servedForOthers))).toBeGreaterThan(0);
});

describe('the API', () => {
  test('the overview: each tool, the totals, the alerts', async () => {
    const { scene, calls, turns, hands, hand } = observed;
    const overview = await scene.get<Overview>('/v1/overview');
    for (const tile of overview.tools) {
      const own = hand(tile.name);
      expect([tile.name, withoutServed(tile.counts)]).toEqual([tile.name, own.counts]);
      expect([tile.name, tile.counts.served]).toEqual([tile.name, own.servedForOthers]);
      expect([tile.name, tile.failure.part, tile.failure.whole]).toEqual([tile.name, own.failure.part, own.failure.whole]);
      expect([tile.name, tile.circuit === null]).toEqual([tile.name, ['book_backup', 'slow', 'plain'].includes(tile.name)]);
    }
    const { totals, alerts } = overview;
    expect(withoutServed(totals.calls)).toEqual(countsByHand(calls));
    expect(totals.deadlines_missed).toBe([...hands.values()].filter(({ isDeadlineMissed }) => isDeadlineMissed).length);
    expect(totals.turns_per_minute).toBe(turns.length / 5);
    expect(totals.circuits_open).toBe(overview.tools.filter(({ circuit }) => circuit !== null && circuit !== 'closed').length);
    expect(totals.alerts_firing).toBe(alerts.filter(({ state }) => state === 'firing').length);
  });

  test('no two statements about a tool contradict each other', async () => {
    const { scene, hand } = observed;
    const [overview, { alerts }] = [await scene.get<Overview>('/v1/overview'), await scene.get<AlertList>('/v1/alerts')];
    for (const { name, status, circuit, trouble_since: since } of overview.tools) {
      const firing = alerts.filter((alert) => alert.tool_id === name && alert.state === 'firing' && alert.name !== 'CircuitOpen');
      const isCalm = status === 'ok' || status === 'idle';
      expect([name, isCalm && firing.length > 0, isCalm && circuit === 'open']).toEqual([name, false, false]);
      expect([name, since !== undefined]).toEqual([name, status !== 'ok' && status !== 'idle']);
      const timeline = await scene.get<CircuitTimeline>(`/v1/tools/${name}/circuit?range=15m`);
      expect([name, timeline.state === null]).toEqual([name, circuit === null]);
      expect([name, timeline.changes.filter(({ to }) => to === 'open').length]).toEqual([name, circuit === null ? 0 : hand(name).opened]);
    }
  });

  test('the history of each tool', async () => {
    const { scene, calls, hand } = observed;
    for (const name of toolNames) {
      const own = hand(name);
      const history = await scene.get<ToolHistory>(`/v1/tools/${name}/history?range=15m`);
      expect([name, withoutServed(history.totals)]).toEqual([name, own.counts]);
      for (const key of ['first_try', 'recovered', 'failed', 'cancelled', 'skipped', 'rejected', 'refused'] as const)
        expect([name, key, total(history[key])]).toEqual([name, key, own.counts[key]]);
      expect([name, total(history.attempts), total(history.retries)]).toEqual([name, own.attempts, own.retries]);
      expect([name, history.failure.part, history.failure.whole]).toEqual([name, own.failure.part, own.failure.whole]);
      expect([name, Object.fromEntries(history.errors.map((error) => [error.name, error.count]))]).toEqual([name, own.errorsByCode]);
      const perCall = own.callsRun === 0 ? 0 : own.attemptsForCalls / own.callsRun;
      expect(history.attempts_per_call ?? 0).toBeCloseTo(perCall, 2);
      const lost = new Set(
        calls.filter((call) => call.toolId === name && isLost(call) && !call.isRefused).map((call) => `${call.turnId} ${call.callId}`),
      );
      const listed = history.latest_failures.map(({ turn_id: turn, call_id: call }) => `${turn} ${call}`);
      expect(new Set(listed).size).toBe(listed.length);
      expect(listed.filter((each) => !lost.has(each))).toEqual([]);
      expect(listed).toHaveLength(Math.min(20, lost.size));
      expect([name, waited(calls, name, 'hint')]).toEqual([name, near(total(history.hint_ms), waited(calls, name, 'hint'))]);
      expect([name, waited(calls, name, 'recovery')]).toEqual([name, near(total(history.recovery_ms), waited(calls, name, 'recovery'))]);
      expect([name, waited(calls, name, 'slot')]).toEqual([name, near(total(history.queue_ms), waited(calls, name, 'slot'))]);
    }
  });

  test('the metrics of each tool', async () => {
    const { scene, calls, hand } = observed;
    for (const name of toolNames) {
      const own = hand(name);
      const { metrics } = await scene.get<ToolDetail>(`/v1/tools/${name}`);
      const ended = calls.filter((call) => call.toolId === name);
      const status = (wanted: string): number =>
        ended.filter(({ completed }) => completed['status'] === wanted && text(completed, 'code') !== 'CANCELLED').length;
      expect([name, metrics]).toMatchObject([
        name,
        {
          total_executions: ended.length,
          success_count: status('success'),
          execution_error_count: status('error'),
          execution_timeout_count: status('timeout'),
          error_count: own.attemptOutcomes.transient + own.attemptOutcomes.permanent + own.attemptOutcomes.neutral,
          transient_error_count: own.attemptOutcomes.transient,
          permanent_error_count: own.attemptOutcomes.permanent,
          circuit_breaker_opens: own.opened,
          timeout_count: own.timeouts,
          refused_count: own.refusals,
        },
      ]);
    }
  });

  test('the list of turns', () => {
    const { entries, turns, handTurn } = observed;
    for (const { turn_id: id, outcome, calls: count, events, facts, state } of turns) {
      const own = handTurn(id);
      const listed = {
        id,
        state,
        outcome,
        count,
        events,
        ...facts,
        tools: [...(facts?.tools ?? [])].toSorted(byText),
        codes: [...(facts?.codes ?? [])].toSorted(byText),
      };
      expect(listed).toMatchObject({
        id,
        state: 'completed',
        outcome: own.outcome,
        count: own.counts.calls,
        events: entries.filter(({ turn_id: turn }) => turn === id).length,
        retries: own.retries,
        failed_calls: own.counts.failed + own.counts.rejected,
        skipped_calls: own.counts.skipped,
        used_alternative: own.didUseAlternative,
        deadline_missed: own.isDeadlineMissed,
      });
      expect(listed.tools).toEqual(expect.arrayContaining([...own.tools]));
      expect(facts?.duration_ms ?? 0).toBeCloseTo(own.durationMs, 0);
      expect(facts?.waited_ms).toBeCloseTo(own.longestWaitMs, 6);
    }
  });

  test('the failures, and how their calls ended', async () => {
    const { scene, entries, calls } = observed;
    const { clusters } = await scene.get<FailureList>('/v1/failures?limit=1000');
    const errors = entries.filter(({ event_type: type }) => type === 'ToolError');
    expect(total(clusters.map(({ count }) => count))).toBe(errors.length);
    for (const { examples } of clusters)
      for (const { turn_id: turn, call_id: id, call_ended: ended } of examples) {
        const call = calls.find(({ turnId, callId }) => turnId === turn && callId === id);
        const expected =
          call === undefined
            ? undefined
            : isLost(call) || call.outcome === 'rejected'
              ? 'failed'
              : call.outcome === 'cancelled'
                ? 'cancelled'
                : 'recovered';
        expect([turn, id, ended]).toEqual([turn, id, expected]);
      }
  });
});

const waitNames = { hint: ['retry_after'], slot: ['concurrency'], recovery: ['recovery', 'retry_budget'] } as const satisfies Record<
  string,
  readonly string[]
>;

/** Time that calls of the tool waited. The process is busy at times, so that real waits are compared with a tolerance. */
function waited(calls: readonly HandCall[], name: string, what: keyof typeof waitNames): number {
  const waits = calls.filter((call) => call.toolId === name).flatMap((call) => call.waits);
  return total(
    waits.filter(({ waitsFor }) => (waitNames[what] as readonly string[]).includes(waitsFor)).map(({ fromMs, toMs }) => toMs - fromMs),
  );
}

/** `queue_ms` includes the moments between the start of a call and its first admission. */
const near = (value: number, expected: number): number => (value >= expected - 1 && value <= expected + 2_000 ? expected : value);

test('/metrics', async () => {
  const { scene, calls, hands, hand } = observed;
  const lines = (await scene.text('/metrics')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const value = (name: string, labels: Readonly<Record<string, string>>): number =>
    total(
      lines
        .filter(
          (line) => line.startsWith(`${name}{`) && Object.entries(labels).every(([key, wanted]) => line.includes(`${key}="${wanted}"`)),
        )
        .map((line) => Number(line.slice(line.lastIndexOf(' ')))),
    );
  for (const name of toolNames) {
    const own = hand(name);
    const answered = own.counts.calls - own.counts.failed - own.counts.skipped - own.counts.cancelled - own.counts.rejected;
    const fellBack = calls.filter(
      (call) => call.toolId === name && call.outcome === 'recovered' && call.completed['status'] !== 'success',
    ).length;
    const of = (outcome: string): number => value('holdfast_tool_calls_total', { tool: name, outcome });
    expect([name, of('success')]).toEqual([name, answered - fellBack]);
    expect([name, of('error') + of('timeout') + of('refused')]).toEqual([name, own.counts.failed + fellBack]);
    expect([name, of('skipped') + of('unstarted')]).toEqual([name, own.counts.skipped]);
    for (const outcome of ['success', 'transient', 'permanent', 'neutral'] as const)
      expect([name, outcome, value('holdfast_tool_attempts_total', { tool: name, outcome })]).toEqual([
        name,
        outcome,
        own.attemptOutcomes[outcome],
      ]);
    expect([name, value('holdfast_tool_timeouts_total', { tool: name })]).toEqual([name, own.timeouts]);
    expect([name, value('holdfast_tool_refusals_total', { tool: name })]).toEqual([name, own.refusals]);
    expect([name, value('holdfast_circuit_transitions_total', { tool: name, to: 'open' })]).toEqual([name, own.opened]);
    const ran = calls.filter((call) => call.toolId === name && call.attempts.length > 0 && call.outcome !== 'cancelled');
    const at = ({ completed }: HandCall): number => Date.parse(completed.timestamp);
    const last = Math.max(0, ...ran.filter(({ completed }) => completed['status'] === 'success').map(at));
    const failed = ran.filter(({ completed }) => completed['status'] !== 'success');
    const inRow = value('holdfast_tool_failures_in_a_row', { tool: name });
    // Calls of several turns that end within one millisecond have no order in their traces.
    expect(inRow).toBeGreaterThanOrEqual(failed.filter((call) => at(call) > last).length);
    expect(inRow).toBeLessThanOrEqual(failed.filter((call) => at(call) >= last).length);
  }
  const turnCount = (outcome: string): number => value('holdfast_turn_duration_seconds_count', { outcome });
  for (const outcome of ['success', 'partial', 'failed', 'deadline', 'cancelled'])
    expect([outcome, turnCount(outcome)]).toEqual([outcome, [...hands.values()].filter((turn) => turn.outcome === outcome).length]);
});

test('the command line', async () => {
  const { scene, turns, handTurn } = observed;
  const bin = join(root, 'apps/cli/bin/holdfast.mjs');
  const options = { cwd: scene.folder, maxBuffer: 50_000_000 };
  const arguments_ = ['--conditions=@holdfast/source', bin, 'turns', '--limit', '500', '-o', 'json'];
  const { stdout } = await promisify(execFile)(process.execPath, arguments_, options);
  // One turn per line.
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  expect(rows).toHaveLength(turns.length);
  for (const row of rows) {
    const own = handTurn(String(row['turn_id']));
    expect([row['turn_id'], row['outcome'], row['calls']]).toEqual([own.turnId, own.outcome, own.counts.calls]);
  }
}, 60_000);
