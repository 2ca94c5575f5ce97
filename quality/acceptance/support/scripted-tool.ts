/** A tool that follows a list of steps, attempt by attempt; the last step repeats for ever. It remembers when it was started and aborted. */
import type { AnyTool, AttemptContext, ClassificationRule, System, ToolPolicy } from '@holdfast/core';
import { defineTool } from '@holdfast/core';

export type Step =
  | { readonly does: 'succeed'; readonly output: unknown; readonly afterMs: number }
  | { readonly does: 'fail'; readonly error: unknown; readonly afterMs: number }
  | { readonly does: 'hang'; readonly partial?: unknown };

export const succeeds = (output: unknown = 'done', afterMs = 0): Step => ({ does: 'succeed', output, afterMs });

/** A string is short for an `Error` with that message. */
export const fails = (error: unknown, afterMs = 0): Step => ({
  does: 'fail',
  error: typeof error === 'string' ? new Error(error) : error,
  afterMs,
});

/** Never settles, and ignores its signal. */
export const hangs: Step = { does: 'hang' };

export interface ScriptedTool {
  readonly tool: AnyTool;
  /** When each attempt began. */
  readonly starts: readonly number[];
  /** When the signal of an attempt was aborted. */
  readonly aborts: readonly number[];
  /** The arguments of each attempt. */
  readonly received: readonly unknown[];
  /** The same tool before its first attempt, on another clock. */
  readonly fresh: (clock: Clock) => ScriptedTool;
}

export interface ScriptedToolOptions extends ToolPolicy {
  readonly classification?: readonly ClassificationRule[];
}

type Clock = Pick<System, 'now' | 'setTimer'>;

export function scriptedTool(clock: Clock, name: string, steps: readonly Step[], options: ScriptedToolOptions = {}): ScriptedTool {
  const starts: number[] = [];
  const aborts: number[] = [];
  const received: unknown[] = [];
  /** An attempt whose process died is repeated by another one: like a service that recognises the idempotency key, the tool gives the same answer again. */
  const answers = new Map<string, { readonly step: Step; readonly answer: () => unknown }>();
  const tool = defineTool({
    name,
    ...options,
    run(args: unknown, context) {
      // Destructured, as in many tools.
      const { signal, reportPartial, ...made } = context as Made & { readonly reportPartial: (output: unknown) => void };
      signal.addEventListener('abort', () => void aborts.push(clock.now()));
      received.push(args);
      starts.push(clock.now());
      const identity = [made.turnId, made.callId, made.idempotencyKey, made.attempt].join(' ');
      const known = answers.get(identity);
      const step = known?.step ?? steps[Math.min(answers.size, steps.length - 1)];
      if (!step) throw new Error('A script needs a step');
      if (step.does === 'hang' && 'partial' in step) reportPartial(step.partial);
      const { answer } = known ?? { answer: begin(clock, step) };
      answers.set(identity, { step, answer });
      return answer();
    },
  });
  return { tool, starts, aborts, received, fresh: (other) => scriptedTool(other, name, steps, options) };
}

type Made = Pick<AttemptContext, 'signal' | 'turnId' | 'callId' | 'idempotencyKey' | 'attempt'>;

/** Begins a step and returns a function that gives its outcome. */
function begin(clock: Clock, step: Step): () => unknown {
  if (step.does !== 'hang' && step.afterMs === 0) return () => finish(step);
  const outcome = new Promise<unknown>((resolve, reject) => {
    if (step.does === 'hang') return;
    clock.setTimer(step.afterMs, () => (step.does === 'succeed' ? resolve(step.output) : reject(step.error)));
  });
  return () => outcome;
}

function finish(step: Exclude<Step, { does: 'hang' }>): unknown {
  if (step.does === 'fail') throw step.error;
  return step.output;
}

/** The time differences between neighbours. */
export const gaps = (times: readonly number[]): readonly number[] => times.slice(1).map((time, index) => time - (times[index] ?? 0));
