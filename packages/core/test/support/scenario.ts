/** Runs scenarios with the engine on a manual clock: what the tools do, which calls are made, and the results and events. */
import type { ToolResult } from '../../src/engine/call/result.ts';
import type { ToolExecutionServiceOptions } from '../../src/runtime/service/options.ts';
import type { ToolCall } from '../../src/runtime/service/tool-call.ts';
import { ToolExecutionService } from '../../src/runtime/service/tool-execution-service.ts';
import type { ToolPolicy, TurnSettings } from '../../src/engine/settings/settings.ts';
import type { ManualSystem } from '../../src/testing/index.ts';
import { manualSystem } from '../../src/testing/index.ts';
import type { AttemptContext } from '../../src/engine/tool/runner.ts';
import type { AnyTool } from '../../src/engine/tool/tool.ts';
import { defineTool } from '../../src/engine/tool/tool.ts';
import type { TraceEvent } from '../../src/engine/trace/events.ts';
import { errorWith } from '../engine/classify/errors.ts';

/** What a tool does in one attempt: return, throw, or wait, possibly beyond its abort signal. */
type Behaviour = (system: ManualSystem, context: AttemptContext, args: unknown) => unknown;

interface Outcome {
  readonly results: readonly ToolResult[];
  readonly trace: readonly TraceEvent[];
}

export interface Scenario {
  readonly name: string;
  readonly run: () => Promise<Outcome>;
}

interface Setup {
  readonly tools: Readonly<Record<string, readonly [ToolPolicy & Partial<Pick<AnyTool, 'input' | 'output' | 'enabled'>>, ...Behaviour[]]>>;
  readonly calls?: readonly (ToolCall & Readonly<Record<string, unknown>>)[];
  /** Number of turns before the examined one. */
  readonly before?: number;
  readonly options?: Partial<ToolExecutionServiceOptions>;
  readonly turn?: Partial<TurnSettings>;
  /** Time between the earlier turns and the examined one. */
  readonly later?: number;
  /** When the caller cancels. */
  readonly cancelAt?: number;
  /** The reason of the abort. */
  readonly reason?: unknown;
}

export const answer: (value: unknown) => Behaviour = (value) => () => value;
export const fail =
  (fields: Readonly<Record<string, unknown>>, message: string): Behaviour =>
  () => {
    throw errorWith(fields, message);
  };
export const wait =
  (ms: number, then: Behaviour): Behaviour =>
  (system, context, args) =>
    new Promise((resolve, reject) => {
      system.setTimer(ms, () => {
        try {
          resolve(then(system, context, args));
        } catch (error) {
          reject(error as Error);
        }
      });
    });
export const hang: Behaviour = () => new Promise(() => undefined);
export const down: Behaviour = fail({ status: 503 }, 'down');

/** One behaviour per attempt; the last one repeats. */
function toolOf(system: ManualSystem, name: string, [policy, ...behaviours]: Setup['tools'][string]): AnyTool {
  let attempts = 0;
  return defineTool({
    name,
    ...policy,
    run: (args: unknown, context: AttemptContext) => {
      const behaviour = behaviours[Math.min(attempts, behaviours.length - 1)];
      attempts += 1;
      return behaviour?.(system, context, args);
    },
  } as never) as AnyTool;
}

export function scenario(
  name: string,
  { tools, calls = [{ toolName: 'search' }], before = 0, options, turn, later = 0, cancelAt, reason = new Error('enough') }: Setup,
): Scenario {
  return {
    name,
    run: async () => {
      const system = manualSystem();
      const service = new ToolExecutionService({
        system,
        seed: 'ways',
        policy: { retry: { jitter: 'none' } },
        ...options,
        tools: [],
      });
      // Added later, so that an alternative may be missing.
      service.replaceTools(Object.entries(tools).map(([tool, scene]) => toolOf(system, tool, scene)));
      const caller = new AbortController();
      const run = (turnId: string): Promise<Outcome> =>
        system.until(service.executeTurn({ turnId, calls, ...turn } as never, { signal: caller.signal }));
      for (let count = 1; count <= before; count++) await run(`before-${String(count)}`);
      const late: TraceEvent[] = [];
      service.subscribe((event) => {
        if (event.turn_id === 'turn') late.push(event);
      });
      await system.advance(later);
      if (cancelAt !== undefined) system.setTimer(cancelAt, () => caller.abort(reason));
      const { results, trace } = await run('turn');
      const { length } = trace;
      await system.advance(120_000);
      return { results, trace: [...trace.slice(0, length), ...late.slice(length)] };
    },
  };
}
