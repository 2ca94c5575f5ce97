/** Owns what the in-process host needs of the service it works for. */
import type { CircuitLink } from '../../../engine/ports/circuit-sharing.ts';
import type { System } from '../../../engine/ports/system.ts';
import type { ErrorHandler } from '../../../engine/recover/error-handler.ts';
import type { Redactor } from '../../../engine/plain/redact.ts';
import type { ToolRuntime } from '../tool-runtime.ts';

/** What of a call's data goes into the trace, redacted and cut to size. */
export type Capture = 'none' | 'arguments' | 'all';

/** Runs a task as if where it was made. */
export type RunInContext = <Answer>(task: () => Answer) => Answer;

export interface HostContext {
  readonly system: System;
  readonly handler: ErrorHandler;
  readonly redact: Redactor;
  readonly capture: Capture;
  /** Keeps what goes along with the place that a call is made from. */
  readonly asyncContext: (() => RunInContext) | undefined;
  /** A tool that may be called. */
  readonly runtimeOf: (toolName: string) => ToolRuntime | undefined;
  /** For calls in flight: also finds a tool that was removed since. */
  readonly lastingRuntimeOf: (toolName: string) => ToolRuntime | undefined;
  readonly toolNames: () => readonly string[];
  /** Where the circuits are shared with a fleet. */
  readonly sharing: CircuitLink | undefined;
}
