/** Owns the record of a turn that is run again: its figures, and its effects on gates and load. Whole traces of many turns would be too large. World times. */
import type { Trace, TraceEventBody } from '@holdfast/core/trace';
import { TurnCount, type TurnFigures } from './figures.ts';
import type { Span } from './spans.ts';

export interface ToolRequest {
  readonly toolName: string;
  readonly at: number;
}

export interface TimedOut extends Span {
  readonly toolName: string;
}

export class RunTrace implements Trace {
  readonly #startedAt: number;
  readonly #figures: TurnCount;
  /** Attempts made. */
  readonly requests: ToolRequest[] = [];
  /** Attempts that timed out. */
  readonly timedOut: TimedOut[] = [];
  /** When a limit made a call wait, or refused it. A circuit is not a limit. */
  readonly limited: ToolRequest[] = [];

  constructor(startedAt: number, planned: readonly (readonly [callId: string, toolName: string])[]) {
    this.#startedAt = startedAt;
    this.#figures = new TurnCount(planned);
  }

  get figures(): TurnFigures {
    return this.#figures;
  }

  /** The latest attempt of the call was refused by choice. */
  withdrawAttempt(callId: string): void {
    this.#figures.withdrawAttempt(callId);
  }

  append(event: TraceEventBody, at: number): void {
    this.#figures.add(event, at - this.#startedAt);
    switch (event.event_type) {
      case 'AttemptStarted':
        this.requests.push({ toolName: event.tool_id, at });
        return;
      case 'ToolTimeout':
        this.timedOut.push({ toolName: event.tool_id, from: at - event.timeout_ms, to: at });
        return;
      case 'AdmissionWaiting':
        this.limited.push({ toolName: event.tool_id, at });
        return;
      case 'CallRefused':
        if (event.code !== 'CIRCUIT_OPEN') this.limited.push({ toolName: event.tool_id, at });
        return;
      default:
    }
  }
}
