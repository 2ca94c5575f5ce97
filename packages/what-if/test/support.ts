/** Turns in a small world whose services answer by the moment alone, independent of load: the real result of any policy can be computed by running it. */
import {
  checkPlan,
  defineTool,
  ErrorHandler,
  type PlannedCall,
  profiles,
  ToolExecutionService,
  type ToolPolicy,
  type ToolSettings,
  type TraceEvent,
  type TurnSettings,
} from '@holdfast/core';
import type { SingleCallSettings } from '@holdfast/core/replay';
import { TurnTrace } from '@holdfast/core/trace';
import { resolveSettings } from '@holdfast/core/internal';
import { createAgenda, createVirtualTools, createVirtualWorld, drawAt, failedOutcome, VirtualHost } from '@holdfast/core/internal';

interface Down {
  readonly tool: string;
  readonly from: number;
  readonly to: number;
  readonly how: 'errors' | 'hangs' | 'bad_request';
}

export interface SmallWorld {
  readonly seed: string;
  readonly tools: Readonly<Record<string, ToolPolicy>>;
  readonly turns: readonly {
    readonly at: number;
    readonly calls: readonly PlannedCall[];
    /** The only call is made outside of a turn, with this time limit or without one. */
    readonly single?: { readonly timeoutMs: number | null } | undefined;
  }[];
  readonly turn: Partial<TurnSettings>;
  readonly downs: readonly Down[];
  /** Share of attempts that fail at random, and of those that hang. */
  readonly failing: number;
  readonly hanging: number;
  readonly latencyMs: number;
}

export interface SmallPolicy {
  readonly policy?: ToolPolicy;
  readonly tools?: Readonly<Record<string, ToolPolicy>>;
  readonly turn?: Partial<TurnSettings>;
}

const spec = profiles.spec;

/** The events of each turn. */
export function play(world: SmallWorld, changes: SmallPolicy = {}): readonly (readonly TraceEvent[])[] {
  const agenda = createAgenda();
  const settings = Object.fromEntries(
    Object.entries(world.tools).map(([name, own]): [string, ToolSettings] => [
      name,
      resolveSettings(resolveSettings(resolveSettings(spec.tool, own), changes.policy), changes.tools?.[name]),
    ]),
  );
  const tools = createVirtualTools(settings);
  const host = new VirtualHost({
    agenda,
    handler: new ErrorHandler({}),
    tools,
    perform: ({ turnId, callKey, toolName, now }, settle) => {
      const draw = (what: string): number =>
        drawAt(world.seed, `${turnId} ${callKey} ${toolName} ${now.toFixed(3)} ${what}`, 'attempt', '1');
      const down = world.downs.find(({ tool, from, to }) => tool === toolName && now >= from && now < to)?.how;
      const kind = draw('kind');
      const latency = world.latencyMs * (0.5 + draw('latency'));
      const hangs = down === 'hangs' || (down === undefined && kind < world.hanging);
      const fails = down === 'errors' || down === 'bad_request' || (down === undefined && kind > 1 - world.failing);
      const status = down === 'bad_request' ? 400 : 503;
      const outcome = fails
        ? failedOutcome(Object.assign(new Error(`HTTP ${status}`), { status }), { nowEpochMs: 0 })
        : ({ ok: true, output: 'found' } as const);
      const handle = hangs ? undefined : agenda.at(now + (fails ? latency / 4 : latency), () => settle(outcome));
      return () => {
        if (handle) agenda.cancel(handle);
        agenda.at(agenda.now(), () => settle({ ok: false, fault: cancelled }));
      };
    },
  });
  const virtual = createVirtualWorld({ host, tools, base: spec.tool });
  const traces = world.turns.map(({ at, calls, single }, index) => {
    const turnId = `turn-${index}`;
    const plan = checkPlan(calls);
    if (!plan.ok) throw new Error(plan.problems.map(({ message }) => message).join(' '));
    const ofTurns: TurnSettings = { ...spec.turn, ...world.turn, ...changes.turn };
    const turn: TurnSettings = single ? { ...ofTurns, timeoutMs: single.timeoutMs, concurrency: Infinity, onDeadline: 'abort' } : ofTurns;
    const trace = new TurnTrace({ turnId, startedAt: at, timestamp: (elapsed) => new Date(epochMs + at + elapsed).toISOString() });
    agenda.at(at, () =>
      virtual.startTurn({
        turnId,
        seed: world.seed,
        graph: plan.graph,
        settings: turn,
        trace,
        single: single && singleSettings(world.seed, turn, plan.graph.nodes[0]?.call.toolName ?? '', settings),
        started: {
          event_type: 'TurnStarted',
          seed: world.seed,
          profile: 'spec',
          timeout_ms: turn.timeoutMs,
          concurrency: turn.concurrency,
          on_deadline: turn.onDeadline,
          max_retries: turn.maxRetries,
          calls: plan.graph.nodes.map(({ callId, call, dependsOn }) => ({
            call_id: callId,
            tool_id: call.toolName,
            depends_on: dependsOn,
            ...(call.optional ? { optional: true } : {}),
            ...(call.critical ? { critical: true } : {}),
          })),
          tools: settings,
          base: spec.tool,
          recovery_rules: [],
          circuits: {},
        },
        onSettled: () => {},
      }),
    );
    return trace;
  });
  agenda.run();
  return traces.map(({ events }) => JSON.parse(JSON.stringify(events)) as readonly TraceEvent[]);
}

/** As a service records them: of the tool and its alternatives. */
function singleSettings(
  seed: string,
  { timeoutMs, maxRetries }: TurnSettings,
  toolName: string,
  settings: Readonly<Record<string, ToolSettings>>,
): SingleCallSettings {
  const names = [toolName, ...(settings[toolName]?.alternatives ?? [])];
  return {
    ...recordedBySpec,
    seed,
    tools: Object.fromEntries(names.map((name) => [name, settings[name]])),
    ...(timeoutMs === null ? {} : { timeout_ms: timeoutMs }),
    ...(maxRetries === null ? {} : { max_retries: maxRetries }),
  };
}

/** The settings of a call that a real service has recorded. */
const recordedBySpec = await (async (): Promise<SingleCallSettings> => {
  let settings: SingleCallSettings | undefined;
  const service = new ToolExecutionService({ tools: [defineTool({ name: 'any', run: () => 1 })] });
  service.subscribe((event) => void (event.event_type === 'CallStarted' && (settings = event.settings)));
  await service.executeTool({ toolName: 'any' });
  if (settings === undefined) throw new Error('a single call is recorded without its settings');
  return settings;
})();

const epochMs = Date.UTC(2026, 0, 5, 9);

const cancelled = {
  kind: 'cancelled',
  code: 'CANCELLED',
  message: 'aborted',
  text: 'aborted',
  classification: { classification: 'neutral', category: 'cancelled', rule: 'cancelled', ambiguous: false },
} as const;
