/** Owns the dependencies of the in-process host on its service. */
import type { CircuitLink } from '../../../engine/ports/circuit-sharing.ts';
import type { System } from '../../../engine/ports/system.ts';
import type { ErrorHandler } from '../../../engine/recover/error-handler.ts';
import type { Redactor } from '../../../engine/plain/redact.ts';
import type { ToolRuntime } from '../tool-runtime.ts';

/** Which data of a call goes into the trace, redacted and cut to size. */
export type Capture = 'none' | 'arguments' | 'all';

/** Runs a task in the async context in which this was created. */
export type RunInContext = <Answer>(task: () => Answer) => Answer;

export interface HostContext {
  readonly system: System;
  readonly handler: ErrorHandler;
  readonly redact: Redactor;
  readonly capture: Capture;
  /** Captures the caller's async context. */
  readonly asyncContext: (() => RunInContext) | undefined;
  /** A tool that may be called. */
  readonly runtimeOf: (toolName: string) => ToolRuntime | undefined;
  /** With the gate of the call: also finds a tool that has been removed since. */
  readonly lastingRuntimeOf: (toolName: string) => ToolRuntime | undefined;
  readonly toolNames: () => readonly string[];
  /** Set when circuits are shared with a fleet. */
  readonly sharing: CircuitLink | undefined;
}
