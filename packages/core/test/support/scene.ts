/** Scenes played before the engine, on a machine whose time stands still: what the tools do, what is called, and what was reported about it in the end. */
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

/** What a tool does at one attempt: answers, throws, or waits until it is told to stop, and longer. */
type Behaviour = (system: ManualSystem, context: AttemptContext, args: unknown) => unknown;

interface Told {
  readonly results: readonly ToolResult[];
  readonly trace: readonly TraceEvent[];
}

export interface Way {
  readonly name: string;
  readonly go: () => Promise<Told>;
}

interface Scene {
  readonly tools: Readonly<Record<string, readonly [ToolPolicy & Partial<Pick<AnyTool, 'input' | 'output' | 'enabled'>>, ...Behaviour[]]>>;
  readonly calls?: readonly (ToolCall & Readonly<Record<string, unknown>>)[];
  /** Turns before the one that is told. */
  readonly before?: number;
  readonly options?: Partial<ToolExecutionServiceOptions>;
  readonly turn?: Partial<TurnSettings>;
  /** Time that passes between the turns before and the one that is told. */
  readonly later?: number;
  /** When the caller changes its mind. */
  readonly cancelAt?: number;
  /** Why it does. */
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

/** One attempt after the other; the last behaviour stays. */
function toolOf(system: ManualSystem, name: string, [policy, ...behaviours]: Scene['tools'][string]): AnyTool {
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

export function way(
  name: string,
  { tools, calls = [{ toolName: 'search' }], before = 0, options, turn, later = 0, cancelAt, reason = new Error('enough') }: Scene,
): Way {
  return {
    name,
    go: async () => {
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
      const run = (turnId: string): Promise<Told> =>
        system.until(service.executeTurn({ turnId, calls, ...turn } as never, { signal: caller.signal }));
      for (let count = 1; count <= before; count++) await run(`before-${String(count)}`);
      const late: TraceEvent[] = [];
      service.subscribe((event) => {
        if (event.turn_id === 'turn') late.push(event);
      });
      await system.advance(later);
      if (cancelAt !== undefined) system.setTimer(cancelAt, () => caller.abort(reason));
      const { results, trace } = await run('turn');
      const told = trace.length;
      await system.advance(120_000);
      return { results, trace: [...trace.slice(0, told), ...late.slice(told)] };
    },
  };
}
