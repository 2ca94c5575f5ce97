/** Owns what the in-process host needs of the service it works for. */
import type { System } from '../../ports/system.ts';
import type { ErrorHandler } from '../../recover/error-handler.ts';
import type { Redactor } from '../../redact/redact.ts';
import type { ToolRuntime } from '../tool-runtime.ts';

/** What of a call's data goes into the trace, redacted and cut to size. */
export type Capture = 'none' | 'arguments' | 'all';

export interface InProcessKit {
  readonly system: System;
  readonly handler: ErrorHandler;
  readonly redact: Redactor;
  readonly capture: Capture;
  /** A tool that may be called. */
  readonly runtimeOf: (toolName: string) => ToolRuntime | undefined;
  /** What calls under way go on with: also a tool that was taken away meanwhile. */
  readonly lastingRuntimeOf: (toolName: string) => ToolRuntime | undefined;
  readonly toolNames: () => readonly string[];
}
