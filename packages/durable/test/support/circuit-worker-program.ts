/** A process with a service that shares its circuits. Its parent sends commands; a command stays in effect for a tool until the next one. */
import { defineTool, ToolExecutionService, type TraceEvent } from '@holdfast/core';
import { shareCircuits, type CircuitSharingOptions } from '@holdfast/core/fleet';
import { restateSharedCircuits } from '../../src/circuits/restate-shared-circuits.ts';

export type Behaviour =
  | { readonly does: 'answer'; readonly afterMs: number }
  | { readonly does: 'fail'; readonly retryAfterS?: number }
  | { readonly does: 'hang' };

export interface CircuitWorkerOptions {
  readonly ingressUrl: string;
  readonly sharing: CircuitSharingOptions;
  readonly openMs: number;
}

/** The outcomes of concurrent calls. */
export interface Outcome {
  readonly succeeded: number;
  /** Refused by the circuit. */
  readonly refused: number;
  readonly failed: number;
  readonly maxMs: number;
}

export type Command =
  | { readonly name: 'behave'; readonly tool: string; readonly behaviour: Behaviour }
  | { readonly name: 'call'; readonly tool: string; readonly count: number }
  | { readonly name: 'look'; readonly tool: string };

export interface Look {
  readonly circuit: string | undefined;
  /** How often the tool was started. */
  readonly runs: number;
  readonly changes: readonly TraceEvent[];
  readonly faults: readonly string[];
}

const options = JSON.parse(process.argv[2] ?? '{}') as CircuitWorkerOptions;
const toolNames = ['storm', 'orphan', 'flapping', 'quota', 'away', 'lost'];
const behaviours = new Map<string, Behaviour>();
const runs = new Map<string, number>();
const events: TraceEvent[] = [];
const faults: string[] = [];

const run = async (tool: string): Promise<string> => {
  runs.set(tool, (runs.get(tool) ?? 0) + 1);
  const behaviour = behaviours.get(tool) ?? { does: 'answer', afterMs: 0 };
  if (behaviour.does === 'answer') return new Promise((resolve) => setTimeout(() => resolve('ok'), behaviour.afterMs));
  if (behaviour.does === 'hang') return new Promise(() => undefined);
  const { retryAfterS } = behaviour;
  if (retryAfterS === undefined) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  throw Object.assign(new Error('Too Many Requests'), { status: 429, headers: { 'retry-after': String(retryAfterS) } });
};

const service = new ToolExecutionService({
  tools: toolNames.map((name) => defineTool({ name, run: () => run(name) })),
  policy: { timeoutMs: 1_500, retry: { maxAttempts: 1 }, breaker: { openMs: options.openMs, probeLeaseMs: 500 } },
  sharedCircuits: shareCircuits(restateSharedCircuits({ ingressUrl: options.ingressUrl, timeoutMs: 5_000 }), options.sharing),
  onFault: ({ component, name }) => void faults.push(`${component} ${name}`),
});
service.subscribe((event) => {
  if (event.event_type.startsWith('CircuitBreaker')) events.push(event);
});

const call = async (tool: string, count: number): Promise<Outcome> => {
  const longest: number[] = [];
  const results = await Promise.all(
    Array.from({ length: count }, async () => {
      const began = performance.now();
      const result = await service.executeTool({ toolName: tool, arguments: {} });
      longest.push(performance.now() - began);
      return result;
    }),
  );
  const succeeded = results.filter(({ status }) => status === 'success').length;
  const refused = results.filter((result) => result.status !== 'success' && result.error.code === 'CIRCUIT_OPEN').length;
  return { succeeded, refused, failed: count - succeeded - refused, maxMs: Math.max(...longest) };
};

const obey = async (command: Command): Promise<unknown> => {
  const { tool } = command;
  if (command.name === 'call') return call(tool, command.count);
  if (command.name === 'behave') return void behaviours.set(tool, command.behaviour);
  const changes = events.filter((event) => 'tool_id' in event && event.tool_id === tool);
  return { circuit: service.getToolHealth(tool)?.circuit, runs: runs.get(tool) ?? 0, changes, faults };
};

process.on('message', ({ id, command }: { readonly id: number; readonly command: Command }) => {
  void obey(command).then((answer) => process.send?.({ id, answer: answer ?? null }));
});
process.once('disconnect', () => process.exit(0));
process.send?.({ id: 0, answer: 'ready' });
