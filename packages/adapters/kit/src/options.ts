/** Owns what every adapter takes beside its framework's own words, and the checking of it. */
import type { ClassificationRule, Policy, ToolExecutionServiceOptions, ToolPolicy } from '@holdfast/core';
import type { AgentRunOptions, ArgumentReader, ModelCall } from '@holdfast/core/agent';
import type { Change, Problem } from '@holdfast/wire';

/** What one tool is to run under. */
export interface ToolOptions extends ToolPolicy {
  /** A disabled tool answers every call with `TOOL_DISABLED`. @default true */
  readonly enabled?: boolean | undefined;
  /** Overrides of the error classification (S1 1.5), the first match wins. */
  readonly classification?: readonly ClassificationRule[] | undefined;
}

/** How runs of an agent behave; see `AgentRun`. */
export type RunOptions = Omit<AgentRunOptions, 'service' | 'session' | 'executors' | 'readArguments'>;

/** A transcript that had to be mended before it was sent, or could not be. */
export interface RepairReport {
  readonly format: string;
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
}

/** What every adapter takes. */
export interface ReliableOptions extends Omit<ToolExecutionServiceOptions, 'tools' | 'around'> {
  /** Settings by tool name, over `policy` and what the framework says of the tool. */
  readonly tools?: Readonly<Record<string, ToolOptions>> | undefined;
  /** Wrapped around every tool; the first is the outermost. */
  readonly around?: readonly Policy[] | undefined;
  /** How runs behave: validation retries, repeated failures, refusals, open circuits. */
  readonly run?: RunOptions | undefined;
  /** Reads what a model sent as arguments. @default `readArguments` of `@holdfast/wire` */
  readonly readArguments?: ArgumentReader | undefined;
  /** Ids of the calls of the same answer that a call waits for; `siblings` are those the framework has told of. @default none */
  readonly dependsOn?: ((call: ModelCall, siblings: readonly ModelCall[]) => readonly string[]) | undefined;
  /** The backend whose rules transcripts are mended for, such as `deepseek`. @default the format's own provider */
  readonly backend?: string | undefined;
  /** Hears of every transcript that had to be mended. The trace does, too. */
  readonly onRepair?: ((report: RepairReport) => void) | undefined;
}

/** @throws TypeError naming the tool that `tools` has settings for and nobody offers. */
export function checkToolNames(options: ReliableOptions, known: readonly string[]): void {
  for (const name of Object.keys(options.tools ?? {})) {
    if (!known.includes(name))
      throw new TypeError(`'tools' has settings for '${name}', but there is no such tool. The tools are: ${known.join(', ') || 'none'}.`);
  }
}
