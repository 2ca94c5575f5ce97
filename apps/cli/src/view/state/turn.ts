/** Folds the turn itself: its plan, its deadline, its end. */
import type { ComponentFailed, Stamp, TurnCompleted, TurnDeadlineReached, TurnStarted } from '@holdfast/core/trace';
import { newCall } from './calls.ts';
import { circuitsAtStart } from './circuits.ts';
import type { CallView, TurnView } from './model.ts';
import { isRecord, list, text, texts, time, timeOrNone } from './read.ts';
import { totalsOf } from './totals.ts';

/** The view before the first event. */
export const emptyTurn: TurnView = {
  turnId: undefined,
  status: 'empty',
  outcome: undefined,
  startedAt: undefined,
  elapsedMs: 0,
  durationMs: undefined,
  timeoutMs: undefined,
  onDeadline: 'detach',
  profile: '',
  seed: '',
  calls: [],
  circuits: [],
  criticalPath: [],
  summary: '',
  escalated: false,
  faults: [],
  events: 0,
  totals: totalsOf([], []),
};

export function turnStarted(view: TurnView, event: TurnStarted & Stamp): TurnView {
  const planned = list(event.calls)
    .filter(isRecord)
    .map((record): CallView => {
      const callId = text(record['call_id']);
      const known = view.calls.find((call) => call.callId === callId) ?? newCall(callId, text(record['tool_id'], callId), true);
      return {
        ...known,
        planned: true,
        dependsOn: texts(record['depends_on'] as readonly string[]),
        optional: record['optional'] === true,
        critical: record['critical'] === true,
      };
    });
  const others = view.calls.filter((call) => !planned.some(({ callId }) => callId === call.callId));
  return {
    ...view,
    timeoutMs: timeOrNone(event.timeout_ms),
    onDeadline: event.on_deadline === 'abort' ? 'abort' : 'detach',
    profile: text(event.profile),
    seed: text(event.seed),
    calls: [...planned, ...others],
    circuits: [...circuitsAtStart(event.circuits), ...view.circuits],
  };
}

/** Work that a detached turn leaves behind goes on in the background; nobody waits for it. */
export function deadlineReached(view: TurnView, event: TurnDeadlineReached & Stamp): TurnView {
  const running = texts(event.running);
  const atMs = time(event.elapsed_ms);
  const calls = view.calls.map((call): CallView => {
    if (view.onDeadline === 'abort' || !running.includes(call.callId) || call.orphan !== undefined) return call;
    const attempt = call.spans.findLast((span) => span.kind === 'attempt' && span.endMs === undefined);
    if (attempt === undefined) return call;
    const given: CallView['spans'] = call.spans.map((span) =>
      span === attempt ? { ...span, endMs: Math.max(span.startMs, atMs), result: 'timeout' } : span,
    );
    return { ...call, orphan: 'running', spans: given };
  });
  return { ...view, status: 'deadline_reached', calls };
}

export function turnCancelled(view: TurnView): TurnView {
  return { ...view, status: 'cancelled' };
}

const outcomes = ['success', 'partial', 'failed', 'deadline', 'cancelled'] as const;

export function turnCompleted(view: TurnView, event: TurnCompleted & Stamp): TurnView {
  return {
    ...view,
    status: 'completed',
    outcome: outcomes.find((outcome) => outcome === event.outcome) ?? 'partial',
    durationMs: time(event.duration_ms, time(event.elapsed_ms)),
    criticalPath: texts(event.critical_path),
    summary: text(event.summary),
    escalated: view.escalated || event.escalated === true,
  };
}

export function componentFailed(view: TurnView, event: ComponentFailed & Stamp): TurnView {
  const name = text(event.name);
  const fault = `${text(event.component, 'component')}${name === '' ? '' : ` ${name}`} failed: ${text(event.error)}`;
  return { ...view, faults: [...view.faults, fault] };
}
