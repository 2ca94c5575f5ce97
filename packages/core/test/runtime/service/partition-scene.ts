/** A service with two tools whose callers have partitions of their own for one of them. */
import {
  defineTool,
  ToolExecutionService,
  type ToolExecutionServiceOptions,
  type ToolPolicy,
  type ToolResult,
  type TraceEvent,
} from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

/** The caller is the beginning of an id. */
const callerOf = (id: string): string | undefined => (id.includes('/') ? id.split('/')[0] : undefined);

interface Scene {
  readonly options?: Partial<ToolExecutionServiceOptions>;
  readonly policy?: ToolPolicy;
  /** Attempts of these callers hang until their end is forced. @default all are answered at once */
  readonly slow?: readonly string[];
}

export function scene({ options, policy, slow = [] }: Scene = {}) {
  const system = manualSystem();
  const broken = new Set<string>();
  const runs: string[] = [];
  const ends: { readonly caller: string; readonly end: () => void }[] = [];
  const tools = ['search', 'mail'].map((name) =>
    defineTool({
      name,
      run(_args: unknown, { callId, turnId }) {
        const caller = callerOf(callId) ?? callerOf(turnId) ?? '';
        runs.push(caller);
        if (broken.has(caller)) return Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
        if (!slow.includes(caller)) return 'fine';
        return new Promise((resolve) => ends.push({ caller, end: () => resolve('late') }));
      },
      ...policy,
    }),
  );
  const service = new ToolExecutionService({
    tools,
    system,
    seed: 'partitions',
    partitionsOf(id) {
      const caller = callerOf(id);
      return caller === undefined ? undefined : (tool) => (tool === 'search' ? caller : undefined);
    },
    ...options,
  });
  const events: TraceEvent[] = [];
  service.subscribe((event) => void events.push(event));
  let calls = 0;
  const start = (caller: string | undefined, toolName = 'search'): Promise<ToolResult> => {
    calls += 1;
    return service.executeTool({ toolName, callId: `${caller === undefined ? '' : `${caller}/`}c${calls}` });
  };
  const call = (caller?: string, toolName?: string): Promise<ToolResult> => system.until(start(caller, toolName));
  /** With the profile `spec`, the five attempts of one call open the circuit. */
  const fail = async (caller: string): Promise<void> => {
    broken.add(caller);
    await call(caller);
  };
  return { system, service, events, broken, runs, ends, start, call, fail };
}

export const circuitOf = (service: ToolExecutionService, partition?: string) => service.getToolHealth('search', partition)?.circuit;
