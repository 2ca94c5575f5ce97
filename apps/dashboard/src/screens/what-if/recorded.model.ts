/** The recorded settings, by field of the form. */
import { isRecord, timeOrNone } from '../turn/fields.ts';
import type { TurnView } from '@holdfast/core/turn-view';
import type { NumberField } from './change.model.ts';

/** A single call that an older version recorded has no settings, so it cannot be replayed. */
export const canReplay = ({ single, profile }: TurnView): boolean => !single || profile !== '';

/** The settings of one tool or, without a tool, those that all tools of the turn have in common. */
export function recordedFields(view: TurnView, tool: string): Readonly<Partial<Record<NumberField, string>>> {
  const names = tool === '' ? [...new Set(view.calls.map(({ toolName }) => toolName))] : [tool];
  const all = names.map((name) => fieldsOf(view.settings[name] ?? view.baseSettings));
  const [first] = all;
  const common = Object.entries(first ?? {}).filter(([field, value]) => all.every((each) => each[field] === value));
  const ofTurn = { turn_timeout_ms: view.timeoutMs, turn_max_retries: view.maxRetries };
  return Object.fromEntries(
    [...common, ...Object.entries(ofTurn)].flatMap(([field, value]) => (value === undefined ? [] : [[field, String(value)]])),
  );
}

function fieldsOf(settings: unknown): Readonly<Record<string, number | undefined>> {
  const record = isRecord(settings) ? settings : {};
  const retry = isRecord(record['retry']) ? record['retry'] : {};
  const breaker = isRecord(record['breaker']) ? record['breaker'] : {};
  return {
    max_attempts: timeOrNone(retry['maxAttempts']),
    initial_delay_ms: timeOrNone(retry['initialDelayMs']),
    max_delay_ms: timeOrNone(retry['maxDelayMs']),
    max_total_time_ms: timeOrNone(retry['maxTotalTimeMs']),
    timeout_ms: timeOrNone(record['timeoutMs']),
    failure_threshold: timeOrNone(breaker['failureThreshold']),
  };
}
