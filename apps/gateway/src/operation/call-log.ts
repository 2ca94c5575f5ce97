/** Owns the log line for each call and for each repaired transcript: JSON for programs, text for terminals. */
import { truncate } from '@holdfast/core/internal/plain';
import type { Redactor, ToolHealth } from '@holdfast/core';
import type { ModelReport } from '../model-proxy/settings.ts';
import type { CallOutcome, FinishedCall } from './finished-calls.ts';

export type LogForm = 'json' | 'text';
type Level = 'info' | 'warn' | 'error';

const levels: Readonly<Record<CallOutcome, Level>> = {
  success: 'info',
  fallback: 'warn',
  partial: 'warn',
  skipped: 'warn',
  refused: 'warn',
  cancelled: 'info',
  timeout: 'error',
  failed: 'error',
};

export interface CallLog {
  /** Returns one line without a line break. */
  readonly call: (call: FinishedCall, health: Pick<ToolHealth, 'circuit' | 'heldMs'> | undefined) => string;
  readonly model: (report: ModelReport, time: string) => string;
}

export function callLog(form: LogForm, redact: Redactor): CallLog {
  // Text from clients and servers is redacted and truncated.
  const clean = (text: string): string => redact(truncate(text, 300));
  const maskForeign = (text: string | undefined): string | undefined => (text === undefined ? undefined : clean(text));
  return form === 'json' ? jsonLog(maskForeign) : textLog(clean);
}

function jsonLog(shown: (text: string | undefined) => string | undefined): CallLog {
  return {
    // The fields are ordered for readers.
    call: (call, health) =>
      JSON.stringify({
        time: call.time,
        level: levels[call.outcome],
        event: 'call',
        tool_id: shown(call.toolName),
        server: call.server,
        status: call.status,
        outcome: call.outcome,
        code: call.code,
        category: call.category,
        error: shown(call.error),
        attempts: call.attempts,
        served_by: call.servedBy === call.toolName ? undefined : shown(call.servedBy),
        duration_ms: call.durationMs,
        circuit: health?.circuit,
        held_ms: health?.heldMs,
        client: shown(call.client),
        principal: call.principal,
        call_id: shown(call.callId),
        turn_id: shown(call.turnId),
      }),
    model: ({ provider, stage, format, changes, problems, fault, sentAgain }, time) =>
      JSON.stringify({
        time,
        level: 'warn',
        event: 'model',
        provider,
        stage,
        format,
        repairs: changes.length === 0 ? undefined : countsOf(changes),
        problems: problems.length === 0 ? undefined : countsOf(problems),
        fault: fault?.rule,
        sent_again: sentAgain,
      }),
  };
}

function textLog(clean: (text: string) => string): CallLog {
  return {
    call: (call, health) =>
      line(call.time, [
        call.outcome.padEnd(9),
        clean(call.toolName),
        `${call.durationMs < 10 ? call.durationMs.toFixed(1) : Math.round(call.durationMs)} ms`,
        ...(call.attempts === 1 ? [] : [`${call.attempts} attempts`]),
        ...(call.servedBy === call.toolName ? [] : [`served by ${clean(call.servedBy)}`]),
        ...(call.code === undefined ? [] : [call.code]),
        ...(call.error === undefined ? [] : [clean(call.error)]),
        ...(health === undefined || health.circuit === 'closed' ? [] : [`circuit ${health.circuit}`]),
        ...(health?.heldMs === undefined ? [] : [`held for ${Math.ceil(health.heldMs / 1_000)} s`]),
        ...(call.client === undefined ? [] : [`for ${clean(call.client)}`]),
      ]),
    model: ({ provider, stage, changes, problems, fault, sentAgain }, time) =>
      line(time, [
        'model'.padEnd(9),
        `${provider} ${stage}`,
        ...(fault === undefined ? [] : [`refused: ${fault.rule}`]),
        ...(sentAgain === true ? ['sent again'] : []),
        ...Object.entries(countsOf(changes)).map(([rule, count]) => `repaired ${rule} ×${count}`),
        ...Object.entries(countsOf(problems)).map(([rule, count]) => `found ${rule} ×${count}`),
      ]),
  };
}

/** Control characters and line breaks, which are replaced by a mark. */
const controlCharacters = /\p{Cc}|\p{Cf}|[\u2028\u2029]/gu;

const line = (time: string, parts: readonly string[]): string =>
  `${time.slice(11, 23)}  ${parts.join('  ')}`.replaceAll(controlCharacters, '·');

function countsOf(found: readonly { readonly rule: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { rule } of found) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
}
