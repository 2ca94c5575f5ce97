/** A tool that does what a list says, attempt by attempt; the last step goes on for ever. It remembers when it was started and aborted. */
import type { AnyTool, AttemptContext, ClassificationRule, System, ToolPolicy } from '@holdfast/core';
import { defineTool } from '@holdfast/core';

export type Step =
  | { readonly does: 'succeed'; readonly output: unknown; readonly afterMs: number }
  | { readonly does: 'fail'; readonly error: unknown; readonly afterMs: number }
  | { readonly does: 'hang'; readonly partial?: unknown };

export const succeeds = (output: unknown = 'done', afterMs = 0): Step => ({ does: 'succeed', output, afterMs });

/** A text stands for an `Error` of that message. */
export const fails = (error: unknown, afterMs = 0): Step => ({
  does: 'fail',
  error: typeof error === 'string' ? new Error(error) : error,
  afterMs,
});

/** Never settles, and does not listen to its signal. */
export const hangs: Step = { does: 'hang' };

export interface ScriptedTool {
  readonly tool: AnyTool;
  /** When each attempt began. */
  readonly starts: readonly number[];
  /** When the signal of an attempt was aborted. */
  readonly aborts: readonly number[];
  /** What each attempt was given. */
  readonly received: readonly unknown[];
}

export interface ScriptedToolOptions extends ToolPolicy {
  readonly classification?: readonly ClassificationRule[];
}

type Clock = Pick<System, 'now' | 'setTimer'>;

export function scriptedTool(clock: Clock, name: string, steps: readonly Step[], options: ScriptedToolOptions = {}): ScriptedTool {
  const starts: number[] = [];
  const aborts: number[] = [];
  const received: unknown[] = [];
  const tool = defineTool({
    name,
    ...options,
    run(args: unknown, context) {
      // Taken apart, as many tools do.
      const { signal, reportPartial } = context as Pick<AttemptContext, 'signal'> & { readonly reportPartial: (output: unknown) => void };
      signal.addEventListener('abort', () => void aborts.push(clock.now()));
      received.push(args);
      const step = steps[Math.min(starts.push(clock.now()), steps.length) - 1];
      if (!step) throw new Error('A script needs a step');
      if (step.does === 'hang') {
        if ('partial' in step) reportPartial(step.partial);
        return new Promise<unknown>(() => {});
      }
      if (step.afterMs === 0) return finish(step);
      return new Promise<unknown>((resolve, reject) => {
        clock.setTimer(step.afterMs, () => (step.does === 'succeed' ? resolve(step.output) : reject(step.error)));
      });
    },
  });
  return { tool, starts, aborts, received };
}

function finish(step: Exclude<Step, { does: 'hang' }>): unknown {
  if (step.does === 'fail') throw step.error;
  return step.output;
}

/** The times between neighbours. */
export const gaps = (times: readonly number[]): readonly number[] => times.slice(1).map((time, index) => time - (times[index] ?? 0));
