/** Owns playing an attempt's script on any clock: its work from beginning to end. */
import type { TimerHandle } from '@holdfast/core';
import { planted, secretMessage } from '../scene/secrets.ts';
import type { Observer, Work } from './observation.ts';

export interface Clock {
  now(): number;
  epochMs(): number;
  setTimer(delayMs: number, fire: () => unknown): TimerHandle;
  clearTimer(handle: TimerHandle): void;
}

export type Ending = { readonly ok: true; readonly output: unknown } | { readonly ok: false; readonly error: unknown };

export interface Played {
  /** Set when it ended within the call itself. */
  readonly atOnce: Ending | undefined;
  /** Aborts the work. */
  readonly abort: () => void;
}

/** Plays the work of an attempt; `end` is called with its end unless it ended at once. */
export function playAttempt(
  { clock, observer, atOnce }: { readonly clock: Clock; readonly observer: Observer; readonly atOnce: boolean },
  work: Work,
  { end, reportPartial }: { readonly end: (ending: Ending) => unknown; readonly reportPartial: (output: unknown) => unknown },
): Played {
  const { script } = work;
  const timers: TimerHandle[] = [];
  const isOver = (): boolean => work.endedAt !== Number.POSITIVE_INFINITY;
  const finish = (ending: Ending): Ending => {
    for (const timer of timers) clock.clearTimer(timer);
    observer.end(work);
    return ending;
  };
  if (atOnce && script.afterMs === 0) return { atOnce: finish(endingOf(work, clock)), abort: () => observer.abort(work) };
  const scheduleEnd = (delayMs: number, ending: () => Ending): void => {
    if (delayMs === Number.POSITIVE_INFINITY) return;
    timers.push(
      clock.setTimer(delayMs, () => {
        if (!isOver()) end(finish(ending()));
      }),
    );
  };
  for (const [index, delayMs] of script.partialsAfterMs.entries()) {
    if (delayMs >= script.afterMs) continue;
    const output = { partial: index, of: nameOf(work) };
    timers.push(
      clock.setTimer(delayMs, () => {
        if (isOver()) return;
        work.partials.push({ at: clock.now(), output });
        reportPartial(output);
      }),
    );
  }
  scheduleEnd(script.afterMs, () => endingOf(work, clock));
  return {
    atOnce: undefined,
    abort: () => {
      if (isOver()) return;
      observer.abort(work);
      scheduleEnd(script.stopsAfterMs, () => ({ ok: false, error: abortError() }));
    },
  };
}

function abortError(): Error {
  const error = new Error('The operation was aborted');
  error.name = 'AbortError';
  return error;
}

function nameOf({ toolName, turnId, callId, attempt }: Pick<Work, 'toolName' | 'turnId' | 'callId' | 'attempt'>): string {
  return `${toolName} ${turnId} ${callId} ${attempt}`;
}

/** The output of a successful attempt, if it can be represented in JSON. */
export function outputOf(work: Work): unknown {
  const answer = nameOf(work);
  return work.script.kind === 'huge' ? { answer, more: 'x'.repeat(3_000) } : { answer, api_key: planted[1] };
}

function endingOf(work: Work, clock: Clock): Ending {
  const { script } = work;
  switch (script.kind) {
    case 'ok':
    case 'huge':
    case 'never':
      return { ok: true, output: outputOf(work) };
    case 'not_json':
      return { ok: true, output: { answer: nameOf(work), count: 3n, self: work.partials } };
    case '503':
      return fails('Service unavailable', { status: 503, ...hint(work, clock) });
    case '429':
      return fails('Too many requests', { status: 429, ...hint(work, clock) });
    case '400':
      return fails('Invalid airport code: XYZ', { status: 400 });
    case 'refused':
      return fails('connect ECONNREFUSED 127.0.0.1:9', { code: 'ECONNREFUSED' });
    case 'reset':
      return fails('socket hang up', { code: 'ECONNRESET' });
    case 'secret':
      return fails(secretMessage, { status: 502 });
    case 'text':
      return { ok: false, error: 'something happened' };
    case 'nothing':
      return { ok: false, error: undefined };
  }
}

function fails(text: string, fields: object): Ending {
  return { ok: false, error: Object.assign(new Error(text), fields) };
}

/** Formats Retry-After in the drawn form, and records the intended wait. */
function hint(work: Work, clock: Clock): object {
  const { retryAfter } = work.script;
  if (!retryAfter) return {};
  const { form, milliseconds } = retryAfter;
  const meant = (waitMs: number, headers: object): object => {
    work.waitMs = waitMs;
    return { headers };
  };
  switch (form) {
    case 'seconds':
      return meant(Math.ceil(milliseconds / 1_000) * 1_000, { 'retry-after': String(Math.ceil(milliseconds / 1_000)) });
    case 'milliseconds':
      return meant(Math.round(milliseconds), { 'retry-after-ms': String(Math.round(milliseconds)) });
    case 'date': {
      const at = Math.ceil((clock.epochMs() + milliseconds) / 1_000) * 1_000;
      return meant(at - clock.epochMs(), { 'retry-after': new Date(at).toUTCString() });
    }
    case 'past_date':
      return meant(0, { 'retry-after': new Date(clock.epochMs() - 60_000).toUTCString() });
    case 'zero':
      return meant(0, { 'retry-after': '0' });
    case 'negative':
      return meant(0, { 'retry-after': '-5' });
    case 'garbage':
      return meant(0, { 'retry-after': 'soon' });
  }
}
