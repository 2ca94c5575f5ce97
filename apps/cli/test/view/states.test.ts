import type { TraceEventBody } from '@holdfast/core/trace';
import { describe, expect, it } from 'vitest';
import { foldTurn } from '@holdfast/core/turn-view';
import { renderExplain } from '../../src/view/explain/explain.ts';
import { renderLive } from '../../src/view/live/frame.ts';
import { renderSummary } from '../../src/view/summary/summary.ts';
import { renderTrace } from '../../src/view/summary/trace.ts';
import { type At, attempt, completed, decided, failed, recorded, started, succeeded, turnStarted } from './travel-turn.ts';

const at = (steps: readonly At[], nowMs: number, width = 80): string[] =>
  renderLive(foldTurn(recorded(steps, 'demo')), { width, height: 24, nowMs, glyphs: 'unicode', color: false });

const call = (id: string, ...events: readonly At[]): readonly At[] => [
  [0, turnStarted([{ call_id: id }])],
  [0, started(id)],
  [0, attempt(id, 1)],
  ...events,
];
const on = (id: string): { call_id: string; tool_id: string } => ({ call_id: id, tool_id: id });
const rows = (lines: readonly string[]): readonly string[] => lines.slice(2, -2);

describe('a row', () => {
  it('shows progress', () => {
    const progress: TraceEventBody = { event_type: 'ToolProgress', ...on('crawl'), attempt: 1, progress: 3, total: 10, message: 'page 3' };
    expect(rows(at(call('crawl', [300, progress]), 500))).toEqual([
      ' ▸ crawl  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━          500ms  30% · page 3',
    ]);
  });

  it('shows an open circuit, with the time until its probe', () => {
    const opened: TraceEventBody = {
      event_type: 'CircuitBreakerOpened',
      tool_id: 'pay',
      message: 'Circuit breaker opened for pay',
      reason: 'failure_threshold',
      failure_count: 5,
      open_for_ms: 30_000,
    };
    const given = decided('pay', 1, { circuit: 'open' }, { action: 'escalate', reason: 'Circuit open', stopped_by: 'circuit' });
    const escalated: TraceEventBody = {
      event_type: 'Escalated',
      ...on('pay'),
      critical: true,
      code: 'HTTP_503',
      user_message: 'The payment could not be made',
      message: '',
    };
    const steps = call(
      'pay',
      [100, opened],
      [100, given],
      [100, failed('pay', 1, 503, 'Unavailable', 'fail', 100)],
      [100, escalated],
      [100, completed('pay', { status: 'error', error: 'Unavailable', stopped_by: 'circuit' })],
    );
    expect(rows(at(steps, 500))).toEqual([
      ' ✘ pay   ━━━━━━━×                                          100ms  503',
      '     why: Circuit open',
      '     ⊗ circuit opened for pay · probe in 29.6s',
      '     ! The payment could not be made',
    ]);
    expect(renderSummary(foldTurn(recorded(steps)), { width: 80, glyphs: 'unicode', color: false })[0]).toBe(
      ' ◐ turn travel-7f3a  not finished after 100ms of 30s  ! escalated',
    );
  });

  it('shows a refusal', () => {
    const steps: readonly At[] = [
      [0, turnStarted([{ call_id: 'pay' }])],
      [0, started('pay')],
      [1, { event_type: 'CallRefused', ...on('pay'), code: 'CIRCUIT_OPEN', circuit_breaker_state: 'open', retry_after_ms: 8000 }],
    ];
    expect(rows(at(steps, 500))).toEqual([' ▸ pay                                                     500ms  CIRCUIT_OPEN']);
  });

  it('shows waiting for a free slot', () => {
    const steps: readonly At[] = [
      [0, turnStarted([{ call_id: 'pay' }])],
      [0, started('pay')],
      [0, { event_type: 'AdmissionWaiting', ...on('pay'), wait: 'concurrency' }],
    ];
    expect(rows(at(steps, 250))).toEqual([' ◌ pay   ····················                              250ms']);
  });

  it("shows waiting while a server's Retry-After holds the tool", () => {
    const steps: readonly At[] = [
      [0, turnStarted([{ call_id: 'pay' }])],
      [0, started('pay')],
      [0, { event_type: 'AdmissionWaiting', ...on('pay'), wait: 'retry_after', delay_ms: 1_000, held_ms: 1_000 }],
    ];
    expect(rows(at(steps, 250))[1]?.trim()).toBe('held, retry in 750ms');
  });

  it('shows the deadline and work that continues after it', () => {
    const deadline: TraceEventBody = { event_type: 'TurnDeadlineReached', timeout_ms: 2000, running: ['slow'], waiting: [], message: '' };
    const steps: readonly At[] = [
      [0, turnStarted([{ call_id: 'slow' }], 2000)],
      [0, attempt('slow', 1)],
      [2000, deadline],
      [2001, completed('slow', { status: 'timeout', code: 'TURN_DEADLINE' })],
    ];
    expect(at(steps, 2001)).toEqual([
      ' ▸ turn demo  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  deadline of 2s reached',
      '         0s ────────────── 1.5s ────────────── 3s',
      ' ✘ slow  ━━━━━━━━━━━━━━━━━━━━━━━━━━×                        2.0s',
      '     ⋯ still running in the background',
      '',
      ' 1 call · 1 timed out · 1 orphaned',
    ]);
  });

  it('shows a fallback value', () => {
    const steps = call(
      'rates',
      [100, failed('rates', 1, 503, 'Unavailable', 'fail', 100)],
      [100, { event_type: 'DefaultUsed', ...on('rates'), message: 'Used default value for rates' }],
      [100, completed('rates', { status: 'error', error: 'Unavailable', fallback_used: true })],
    );
    const lines = renderSummary(foldTurn(recorded(steps)), { width: 100, glyphs: 'unicode', color: false });
    expect(lines[3]).toBe('     ≈ fallback value used');
    expect(lines[6]).toBe(' rates  failed  fallback value         1  100ms  Unavailable');
  });

  it('counts recovered calls without those that an alternative served', () => {
    const retriedCall = (id: string, end: Partial<Extract<TraceEventBody, { event_type: 'CallCompleted' }>>): readonly At[] => [
      [0, attempt(id, 1)],
      [10, failed(id, 1, 503, 'Unavailable', 'retry', 10)],
      [20, attempt(id, 2)],
      [30, completed(id, end)],
    ];
    const steps: readonly At[] = [
      [0, turnStarted([{ call_id: 'back' }, { call_id: 'replaced' }, { call_id: 'stood_in' }, { call_id: 'lost' }])],
      ...retriedCall('back', { status: 'success' }),
      ...retriedCall('replaced', { status: 'success', served_by: 'backup' }),
      ...retriedCall('stood_in', { status: 'success', fallback_used: true }),
      ...retriedCall('lost', { status: 'error', error: 'Unavailable' }),
    ];
    const lines = renderSummary(foldTurn(recorded(steps)), { width: 100, glyphs: 'unicode', color: false });
    expect(lines.at(-1)).toBe(' 8 attempts · 80ms in attempts · 1 of 3 retried calls recovered');
  });

  it('distinguishes cancelled calls and calls that never started', () => {
    const steps: readonly At[] = [
      [0, turnStarted([{ call_id: 'cut' }, { call_id: 'late' }, { call_id: 'unborn' }])],
      [0, attempt('cut', 1)],
      [40, completed('cut', { status: 'error', code: 'CANCELLED', error: 'The turn was cancelled', attempts: 1 })],
      [40, completed('late', { status: 'timeout', code: 'TURN_DEADLINE', error: 'No time left', attempts: 0 })],
      [40, completed('unborn', { status: 'error', code: 'CANCELLED', error: 'The turn was cancelled', attempts: 0 })],
    ];
    const view = foldTurn(recorded(steps));
    expect(view.calls.map(({ status }) => status)).toEqual(['cancelled', 'not_run', 'not_run']);
    const lines = renderSummary(view, { width: 90, glyphs: 'unicode', color: false });
    expect(lines.slice(2, 5)).toEqual([expect.stringMatching(/^ ⊘ cut +━.*40ms/u), ' ⊘ late    not run', ' ⊘ unborn  not run']);
    expect(lines.slice(7, 10)).toEqual([
      expect.stringMatching(/^ cut +cancelled +cut +1 +40ms +The turn was cancelled$/u),
      expect.stringMatching(/^ late +not run +No time left$/u),
      expect.stringMatching(/^ unborn +not run +The turn was cancelled$/u),
    ]);
    expect(lines[11]).toBe(' 3 calls · 1 cancelled · 2 not run');
    expect(renderExplain(view, 'unborn', { width: 90, glyphs: 'unicode', color: false })).toEqual([
      ' ⊘ unborn  0 attempts · 0 decisions',
      '',
      '   No decisions: the tool was never called.',
      '',
      ' Not run: The turn was cancelled',
    ]);
  });

  it('shows late work only if it did not stop when asked to', () => {
    const late = (atMs: number, result: 'late_success' | 'late_failure'): readonly At[] =>
      call(
        'crawl',
        [100, { event_type: 'ToolTimeout', ...on('crawl'), attempt: 1, timeout_ms: 100 }],
        [101, completed('crawl', { status: 'timeout', error: 'Tool timeout after 100ms' })],
        [atMs, { event_type: 'LateResult', ...on('crawl'), attempt: 1, result, duration_ms: atMs }],
      );
    const lateLines = (atMs: number, result: 'late_success' | 'late_failure'): readonly string[] =>
      at(late(atMs, result), 3000).filter((line) => /⋯|orphaned/u.test(line));
    expect(lateLines(140, 'late_failure')).toEqual([]);
    expect(lateLines(1400, 'late_failure')).toEqual(['     ⋯ failed late, in the background', ' 1 call · 1 timed out · 1 orphaned']);
    expect(lateLines(140, 'late_success')).toEqual(['     ⋯ finished late; result not used', ' 1 call · 1 timed out · 1 orphaned']);
    const trace = renderTrace(recorded(late(140, 'late_failure'), 'demo'), { width: 80, glyphs: 'unicode', color: false });
    expect(trace.find((line) => line.includes('stopped in the background'))?.trim()).toBe(
      '+0.140s  crawl  stopped in the background after 140ms',
    );
  });

  it('has no deadline bar without a deadline', () => {
    expect(at([[0, turnStarted([{ call_id: 'a' }], null)]], 1500)[0]).toBe(' ▸ turn demo  1.5s');
  });

  it('measures wide characters and drops control characters', () => {
    const steps: readonly At[] = [
      [0, turnStarted([{ call_id: '東京\u001B[31m検索' }, { call_id: 'plain\u202Etxt' }])],
      [0, attempt('東京\u001B[31m検索', 1)],
      [0, attempt('plain\u202Etxt', 1)],
    ];
    expect(rows(at(steps, 500, 44))).toEqual([
      ' ▸ 東京検索 ━━━━━━━━━━━━━━━━━━━━━━━━   500ms',
      ' ▸ plaintxt ━━━━━━━━━━━━━━━━━━━━━━━━   500ms',
    ]);
  });
});

describe('counterfactuals', () => {
  const counterfactuals = (decision: TraceEventBody): readonly string[] =>
    renderExplain(
      foldTurn(
        recorded([
          [0, turnStarted([{ call_id: 'pay' }])],
          [9, decision],
        ]),
      ),
      'pay',
      {
        width: 120,
        glyphs: 'unicode',
        color: false,
      },
    ).filter((line) => line.includes('would have'));

  it('name the limit', () => {
    const inputs = { attempts: 4, retryElapsedMs: 1900, nextDelayMs: 800 };
    expect(counterfactuals(decided('pay', 4, inputs, { action: 'escalate' }))).toEqual([
      '     would have been retried with max_total_time_ms > 2700',
    ]);
  });

  it('name every failed check', () => {
    const inputs = { attempts: 5, circuit: 'open', classification: 'permanent', rule: 'status:404' } as const;
    expect(counterfactuals(decided('pay', 5, inputs, { action: 'fail' }))).toEqual([
      '     would have been retried with a transient error (rule status:404 classified it as permanent) and a closed circuit',
    ]);
  });

  it('name other strategies, and skip unknown checks', () => {
    const guards = [
      { guard: 'attempts_left', passed: false, value: 5, limit: 5 },
      { guard: 'alternative_available:pay_backup', passed: false, value: 'open' },
      { guard: 'fallback_declared', passed: false, value: false },
      { guard: 'rule_allows_retry', passed: false, value: 'no payments twice' },
      { guard: 'moon_phase', passed: false, value: 'full', limit: 'new' },
    ];
    expect(counterfactuals(decided('pay', 5, {}, { action: 'escalate', guards }))).toEqual([
      '     would have been retried with max_attempts > 5',
      '     would have used the alternative with pay_backup available (circuit open)',
      '     would have succeeded with a fallback value',
      "     would have been retried with no recovery rule 'no payments twice' against it",
      '     would have continued with moon phase within new',
    ]);
  });

  it('name no limit that was checked with the delay of an open circuit', () => {
    const inputs = { attempts: 2, circuit: 'open', retryElapsedMs: 100, nextDelayMs: 30_000, turnTimeLeftMs: 9_000 } as const;
    expect(counterfactuals(decided('pay', 2, inputs, { action: 'escalate' }))).toEqual([
      '     would have been retried with a closed circuit, if there was time left for it',
    ]);
  });

  it('are empty for the decision of an advisor', () => {
    const decision = decided('pay', 5, { attempts: 5 }, { action: 'escalate' });
    expect(counterfactuals(decision)).not.toEqual([]);
    expect(counterfactuals({ ...decision, decided_by: 'handler' } as TraceEventBody)).toEqual([]);
  });

  it('are empty if the first choice was taken', () => {
    expect(counterfactuals(decided('pay', 1, {}, {}))).toEqual([]);
  });
});

it('a call that succeeds at once has no reason lines', () => {
  expect(rows(at(call('ok', [250, succeeded('ok', 1, 250)], [250, completed('ok', {})]), 500))).toEqual([
    ' ✔ ok    ━━━━━━━━━━━━━━━━━━━━                              250ms',
  ]);
});
