/** Owns what a turn is handed in with, as JSON, and the check of it. Whether the plan itself can be run is the engine's to say, in the turn's result. */
import type { TurnPlan } from '@holdfast/core';
import { isRecord } from '@holdfast/core/internal/plain';
import { turnIdProblem } from './turn-id.ts';

export interface TurnRequest {
  readonly plan: TurnPlan;
  /** Names this run of the turn: idempotency keys begin with it, and stores know it by it. @default the engine's own id of it */
  readonly executionId?: string;
  /** Whether the result holds the trace. @default false: the store has it */
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
    hint: 'Hand in a plan: { calls: [{ callId, toolName, arguments }] }',
  },
  {
    name: 'executionId',
    fits: (value) => value === undefined || (typeof value === 'string' && value !== ''),
    hint: 'Name it with a string, or leave it out',
  },
  { name: 'trace', fits: (value) => value === undefined || typeof value === 'boolean', hint: 'Say true or false, or leave it out' },
];

const SHOWN = 80;

const preview = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Says of the first field that does not fit its name, its value and the fix. */
export const readTurnRequest = (text: string): ReadRequest => {
  const value = parseJson(text);
  if (!isRecord(value)) return { ok: false, problem: `A turn is handed in as JSON { plan }, not as ${preview(value ?? text)}.` };
  const strange = Object.keys(value).find((name) => !FIELDS.some((field) => field.name === name));
  if (strange !== undefined) return { ok: false, problem: `${strange} = ${preview(value[strange])} is no field of a turn. Leave it out.` };
  const unfit = FIELDS.find(({ name, fits }) => !fits(value[name]));
  if (unfit !== undefined) return { ok: false, problem: `${unfit.name} = ${preview(value[unfit.name])} cannot be used. ${unfit.hint}.` };
  const turnId = isRecord(value['plan']) ? value['plan']['turnId'] : undefined;
  const problem = turnId === undefined ? undefined : turnIdProblem(turnId, 'plan.turnId');
  if (problem !== undefined) return { ok: false, problem };
  // oxlint-disable-next-line no-unsafe-type-assertion -- each field was looked at; the calls are the engine's to check
  return { ok: true, request: value as unknown as TurnRequest };
};
