/** Owns scripted attempts. */
import type { TimerHandle } from '../../../engine/ports/system.ts';
import type { Outcome } from '../../../engine/call/protocol.ts';
import type { Agenda } from './agenda.ts';
import type { AttemptRequest, Perform } from './virtual-host.ts';

/** One scripted attempt. */
export interface ScriptedAttempt {
  /** When the attempt ends; `Infinity`: never. */
  readonly afterMs: number;
  /** How the attempt ends. */
  readonly outcome: Outcome;
  /** How long the work continues after it was aborted; `Infinity` for work that ignores the signal. @default 0 */
  readonly stopsAfterMs?: number;
  /** When it reports partial output; that output is `undefined`. @default [] */
  readonly partialsAfterMs?: readonly number[];
  /** When it reports progress without an output. @default [] */
  readonly progressAfterMs?: readonly number[];
}

/** Returns the script of an attempt. */
export type Script = (request: AttemptRequest) => ScriptedAttempt;

/** Creates a function that performs attempts by their scripts. */
export function performScript(agenda: Agenda, script: Script): Perform {
  return (request, settle, reportPartial, reportProgress) => {
    const { afterMs, outcome, stopsAfterMs = 0, partialsAfterMs = [], progressAfterMs = [] } = script(request);
    for (const progress of progressAfterMs) agenda.at(agenda.now() + progress, reportProgress);
    for (const partial of partialsAfterMs) agenda.at(agenda.now() + partial, () => reportPartial(undefined));
    const end = (): void => settle(outcome);
    const handle = Number.isFinite(afterMs) ? agenda.at(agenda.now() + afterMs, end) : undefined;
    return Number.isFinite(stopsAfterMs) ? () => stop(agenda, handle, agenda.now() + stopsAfterMs, end) : undefined;
  };
}

function stop(agenda: Agenda, handle: TimerHandle | undefined, stopsAt: number, end: () => void): void {
  if (handle && handle.dueAt <= stopsAt) return;
  if (handle) agenda.cancel(handle);
  agenda.at(stopsAt, end);
}
