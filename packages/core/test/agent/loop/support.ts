/** A run on a manual clock, with all events of its trace. */
import type { AgentRunOptions, ModelCall, Slices } from '../../../src/agent/index.ts';
import { AgentRun, Session } from '../../../src/agent/index.ts';
import type { ToolExecutionServiceOptions } from '../../../src/runtime/service/options.ts';
import { ToolExecutionService } from '../../../src/runtime/service/tool-execution-service.ts';
import type { ManualSystem } from '../../../src/testing/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';
import type { StandardSchema } from '../../../src/engine/schema/standard-schema.ts';
import type { AnyTool } from '../../../src/engine/tool/tool.ts';
import type { TraceEvent, TraceEventType } from '../../../src/engine/trace/events.ts';

type EventOf<Type extends TraceEventType> = Extract<TraceEvent, { event_type: Type }>;

/** A schema that throws at whatever it checks. */
export const brokenSchema: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'broken',
    validate: () => {
      throw new Error('The schema is broken');
    },
  },
};

export interface RunBench {
  readonly system: ManualSystem;
  readonly service: ToolExecutionService;
  readonly session: Session;
  readonly run: AgentRun;
  readonly events: readonly TraceEvent[];
  readonly of: <Type extends TraceEventType>(type: Type) => readonly EventOf<Type>[];
  /** Returns the texts of the answers; advances the clock as needed. */
  readonly texts: (...calls: readonly ModelCall[]) => Promise<readonly string[]>;
}

export interface RunBenchOptions extends Omit<AgentRunOptions, 'service' | 'session'> {
  readonly slices?: Slices;
  readonly service?: Omit<ToolExecutionServiceOptions, 'tools' | 'system'>;
}

export function runBench(tools: readonly AnyTool[], { slices, service: more, ...options }: RunBenchOptions = {}): RunBench {
  const system = manualSystem();
  const service = new ToolExecutionService({ seed: 'bench', ...more, tools: [], system });
  // Added later, so that an alternative may be missing.
  service.replaceTools(tools);
  const events: TraceEvent[] = [];
  service.subscribe((event) => void events.push(event));
  const session = new Session({ system, correlationId: 'bench', ...(slices ? { slices } : {}) }) as Session;
  const run = new AgentRun({ ...options, service, session });
  return {
    system,
    service,
    session,
    run,
    events,
    of: <Type extends TraceEventType>(type: Type) => events.filter((event): event is EventOf<Type> => event.event_type === type),
    texts: async (...calls) => (await system.until(run.answer(calls))).map(({ text }) => text),
  };
}

export function modelCall(toolName: string, args: unknown = {}, more: Partial<ModelCall> = {}): ModelCall {
  return { callId: toolName, toolName, arguments: args, ...more };
}
