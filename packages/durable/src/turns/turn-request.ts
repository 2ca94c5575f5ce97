/** Owns the request of a turn, as JSON, and its check. Does not check the plan: the turn's result reports whether it can be run. */
import type { TurnPlan } from '@holdfast/core';
import { isRecord, parseJsonOrUndefined, truncate } from '@holdfast/core/internal/plain';
import { turnIdProblem } from './turn-id.ts';

export interface TurnRequest {
  readonly plan: TurnPlan;
  /** Identifies this run of the turn: it is the prefix of idempotency keys, and stores find the run by it. @default the engine's id of the run */
  readonly executionId?: string;
  /** Whether the result includes the trace. @default false: the store has it */
  readonly trace?: boolean;
}

export type ReadRequest = { readonly ok: true; readonly request: TurnRequest } | { readonly ok: false; readonly problem: string };

interface Field {
  readonly name: keyof TurnRequest;
  readonly fits: (value: unknown) => boolean;
  readonly hint: string;
}

const FIELDS: readonly Field[] = [
  {
    name: 'plan',
    fits: (value) => isRecord(value) && Array.isArray(value['calls']),
    hint: 'Give a plan: { calls: [{ callId, toolName, arguments }] }',
  },
  {
    name: 'executionId',
    fits: (value) => value === undefined || (typeof value === 'string' && value !== ''),
    hint: 'Give a string, or leave it out',
  },
  { name: 'trace', fits: (value) => value === undefined || typeof value === 'boolean', hint: 'Give true or false, or leave it out' },
];

const SHOWN = 80;

const preview = (value: unknown): string => {
  return truncate(JSON.stringify(value) ?? 'undefined', SHOWN);
};

/** Reports the first invalid field: its name, its value and the fix. */
export const readTurnRequest = (text: string): ReadRequest => {
  const value = parseJsonOrUndefined(text);
  if (!isRecord(value)) return { ok: false, problem: `The body must be JSON { plan }, got ${preview(value ?? text)}.` };
  const unknownField = Object.keys(value).find((name) => !FIELDS.some((field) => field.name === name));
  if (unknownField !== undefined)
    return { ok: false, problem: `${unknownField} = ${preview(value[unknownField])} is not a field of a turn. Leave it out.` };
  const invalid = FIELDS.find(({ name, fits }) => !fits(value[name]));
  if (invalid !== undefined)
    return { ok: false, problem: `${invalid.name} = ${preview(value[invalid.name])} is invalid. ${invalid.hint}.` };
  const turnId = isRecord(value['plan']) ? value['plan']['turnId'] : undefined;
  const problem = turnId === undefined ? undefined : turnIdProblem(turnId, 'plan.turnId');
  if (problem !== undefined) return { ok: false, problem };
  // oxlint-disable-next-line no-unsafe-type-assertion -- each field was checked; the engine checks the calls
  return { ok: true, request: value as unknown as TurnRequest };
};
