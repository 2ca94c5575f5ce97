/** The changed settings of a what-if: in the URL, in the form, and in the request. */
import type { WhatIfRequest } from '@holdfast/gateway/contract';
import type { WhatIfChange } from '../turn/decision/what-if-change.ts';

/** The parameters of the page. An empty string means "as recorded". */
export const whatIfShape = {
  run: 0,
  tool: '',
  max_attempts: '',
  initial_delay_ms: '',
  max_delay_ms: '',
  max_total_time_ms: '',
  timeout_ms: '',
  failure_threshold: '',
  accept_partial: false,
  turn_timeout_ms: '',
  turn_max_retries: '',
  raw: '',
} as const;

export type NumberField = Exclude<keyof typeof whatIfShape, 'run' | 'tool' | 'accept_partial' | 'raw'>;

export type WhatIfForm = { readonly [Field in NumberField]: string } & {
  readonly tool: string;
  readonly accept_partial: boolean;
  readonly raw: string;
};

const { run: _run, ...emptyFields } = whatIfShape;

/** Everything as recorded. */
export const emptyForm: WhatIfForm = emptyFields;

export function whatIfSearch(change: WhatIfChange, run?: number): string {
  const parameters = new URLSearchParams(run === undefined || run === 0 ? {} : { run: String(run) });
  for (const [name, value] of Object.entries(change)) parameters.set(name, value === true ? '1' : String(value));
  return `?${parameters}`;
}

/** The valid range of each number field. */
const fieldRules: Readonly<Record<NumberField, { readonly min: number; readonly whole: boolean }>> = {
  max_attempts: { min: 1, whole: true },
  initial_delay_ms: { min: 0, whole: false },
  max_delay_ms: { min: 0, whole: false },
  max_total_time_ms: { min: 0, whole: false },
  timeout_ms: { min: 1, whole: false },
  failure_threshold: { min: 1, whole: true },
  turn_timeout_ms: { min: 1, whole: true },
  turn_max_retries: { min: 0, whole: true },
};

export function fieldProblem(field: NumberField, text: string): string | undefined {
  if (text.trim() === '') return undefined;
  const { min, whole } = fieldRules[field];
  const number = Number(text);
  if (!Number.isFinite(number) || number < min || (whole && !Number.isInteger(number)))
    return `Enter ${whole ? 'a whole number' : 'a number'} of at least ${min}.`;
  return undefined;
}

/** The request to send: from the form, or the custom text. */
export type ReadRequest = { readonly request: WhatIfRequest } | { readonly text: string } | { readonly problem: string };

/** Builds the request. Custom text takes precedence over the form. */
export function requestOf(form: WhatIfForm): ReadRequest {
  if (form.raw.trim() !== '') return { text: form.raw };
  for (const field of Object.keys(fieldRules) as NumberField[]) {
    const problem = fieldProblem(field, form[field]);
    if (problem !== undefined) return { problem: `${field}: ${problem}` };
  }
  const settings = settingsOf(form);
  const turn = withNumbers({ timeout_ms: form.turn_timeout_ms, max_retries: form.turn_max_retries });
  if (isEmpty(settings) && isEmpty(turn)) return { problem: 'No settings are changed.' };
  return {
    request: {
      ...(isEmpty(settings) ? {} : form.tool === '' ? { policy: settings } : { tools: { [form.tool]: settings } }),
      ...(isEmpty(turn) ? {} : { turn }),
    },
  };
}

function settingsOf(form: WhatIfForm): Readonly<Record<string, unknown>> {
  const retry = withNumbers({
    max_attempts: form.max_attempts,
    initial_delay_ms: form.initial_delay_ms,
    max_delay_ms: form.max_delay_ms,
    max_total_time_ms: form.max_total_time_ms,
  });
  const circuit = withNumbers({ failure_threshold: form.failure_threshold });
  return {
    ...withNumbers({ timeout_ms: form.timeout_ms }),
    ...(isEmpty(retry) ? {} : { retry_policy: retry }),
    ...(isEmpty(circuit) ? {} : { circuit_breaker: circuit }),
    ...(form.accept_partial ? { accept_partial: true } : {}),
  };
}

const withNumbers = (texts: Readonly<Record<string, string>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, Number(text)]])));

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;
