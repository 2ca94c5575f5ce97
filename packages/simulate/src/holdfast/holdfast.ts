/**
 * Owns Holdfast as a contender: the engine itself (machines, gates, decisions, memory) in simulated time, with the settings of a profile or any others. The
 * agents of one process share its gates.
 */
import { checkOptions, listOf, mapOf, type Fields } from '@holdfast/core/internal/plain';
import type {
  EpisodicMemory,
  PlanGraph,
  RecoveryRule,
  ProfileName,
  ToolPolicy,
  ToolSettings,
  TraceEvent,
  TurnReport,
  TurnSettings,
} from '@holdfast/core';
import { checkPlan, createEpisodicMemory, ErrorHandler, profiles } from '@holdfast/core';
import type { TraceEventType } from '@holdfast/core/trace';
import { readRecoveryRules, resolveSettings, toolFields, turnFields } from '@holdfast/core/internal';
import { createVirtualTools, createVirtualWorld, memoryEvents, VirtualHost } from '@holdfast/core/internal';
import type { Contender, LabClient, LabPlan, LabRun, LabTurnResult } from '../run/contender.ts';
import { createAttempts } from './attempts.ts';
import type { EventSubscriber } from './traces.ts';
import { createTraces } from './traces.ts';
import { turnStarted } from './turn-started.ts';

/** Settings of Holdfast as a contender. */
export interface HoldfastOptions {
  /** @default the profile's name */
  readonly name?: string;
  /** One line for tables. @default none */
  readonly description?: string;
  /** @default 'spec' */
  readonly profile?: ProfileName;
  /** Settings over the profile and the world's settings of a tool. */
  readonly policy?: ToolPolicy;
  /** Settings by tool, over `policy`. */
  readonly tools?: Readonly<Record<string, ToolPolicy>>;
  /** Settings of turns, over the profile's. */
  readonly turn?: Partial<TurnSettings>;
  /** Rules that allow, deny or prefer a strategy. @default [] */
  readonly recoveryRules?: readonly RecoveryRule[];
  /** @default as in the profile */
  readonly useMemory?: boolean;
  /** Receives the events of every turn. Slow: leave it out unless you read them. */
  readonly onEvent?: (event: TraceEvent) => void;
  /** The types of events that `onEvent` receives. @default all */
  readonly eventTypes?: readonly TraceEventType[];
}

const holdfastFields: Fields = {
  name: 'string',
  description: 'string',
  profile: Object.keys(profiles),
  policy: toolFields,
  tools: mapOf(toolFields, 'an object of settings by tool'),
  turn: turnFields,
  recoveryRules: (value, field) => void readRecoveryRules(value, field),
  useMemory: 'boolean',
  onEvent: 'function',
  eventTypes: listOf('string', 'an array of event types'),
};

/** Holdfast with the settings of a profile, or with others. @throws TypeError | RangeError for an invalid option */
export function holdfast(options: ProfileName | HoldfastOptions = {}): Contender {
  const given = typeof options === 'string' ? { profile: options } : options;
  checkOptions(holdfastFields, given, 'holdfast');
  const { profile = 'spec', name = `holdfast ${profile}`, description } = given;
  return { name, ...(description === undefined ? {} : { description }), start: (run) => startHoldfast(run, given) };
}

function startHoldfast(run: LabRun, options: HoldfastOptions): LabClient {
  const { profile: profileName = 'spec', recoveryRules = [], onEvent } = options;
  const profile = profiles[profileName];
  const { agenda, seed } = run;
  const memory = (options.useMemory ?? profile.useMemory) ? createEpisodicMemory() : undefined;
  const settings = settingsOf(run, profile.tool, options);
  const tools = createVirtualTools(settings);
  const attempts = createAttempts(run);
  const handler = new ErrorHandler({ recoveryRules, ...(memory ? { memory } : {}) });
  const host = new VirtualHost({ agenda, handler, tools, perform: attempts.perform });
  const world = createVirtualWorld({ host, tools, base: profile.tool });
  const plans = createPlans(profile.turn, options.turn);
  const traces = createTraces(run, subscribersOf(memory, options));
  return {
    turn(turn, done) {
      const { graph, settings: ofTurn } = plans(turn.plan);
      attempts.opened(turn);
      world.startTurn({
        turnId: turn.id,
        seed,
        graph,
        settings: ofTurn,
        trace: traces.open(turn.id),
        started: onEvent && turnStarted({ run, profile, settings, tools, recoveryRules }, graph, ofTurn),
        onSettled: (report) => {
          attempts.closed(turn);
          done(resultOf(report));
        },
      });
    },
    notes: traces.counts,
  };
}

/** The world's settings of a tool override the profile, the options override both. */
function settingsOf(run: LabRun, base: ToolSettings, { policy, tools = {} }: HoldfastOptions): Readonly<Record<string, ToolSettings>> {
  return Object.fromEntries(
    Object.keys(run.world.tools).map((name) => {
      const { effect, alternatives, timeoutMs } = run.tool(name);
      const layers: readonly (ToolPolicy | undefined)[] = [{ effect, alternatives, timeoutMs }, policy, tools[name]];
      return [name, layers.reduce<ToolSettings>(resolveSettings, base)];
    }),
  );
}

interface Planned {
  readonly graph: PlanGraph;
  readonly settings: TurnSettings;
}

/** Checks each plan once. */
function createPlans(base: TurnSettings, own: Partial<TurnSettings> | undefined): (plan: LabPlan) => Planned {
  const known = new Map<LabPlan, Planned>();
  return (plan) => {
    const before = known.get(plan);
    if (before) return before;
    const checked = checkPlan(
      plan.calls.map(({ id, toolName, dependsOn, optional, critical }) => ({ callId: id, toolName, dependsOn, optional, critical })),
    );
    if (!checked.ok) throw new RangeError(checked.problems[0]?.message);
    const planned = { graph: checked.graph, settings: { ...base, timeoutMs: plan.deadlineMs, ...own } };
    known.set(plan, planned);
    return planned;
  };
}

function subscribersOf(memory: EpisodicMemory | undefined, { onEvent, eventTypes }: HoldfastOptions): readonly EventSubscriber[] {
  return [
    ...(memory
      ? [
          {
            types: new Set(memoryEvents),
            receive: (event: TraceEvent) => memory.observe(event),
            readsTime: false,
            from: 'RecoveryDecided' as const,
          },
        ]
      : []),
    ...(onEvent ? [{ types: eventTypes && new Set(eventTypes), receive: onEvent, readsTime: true }] : []),
  ];
}

function resultOf({ results }: TurnReport): LabTurnResult {
  return { succeeded: results.map(({ status, partial }) => status === 'success' && partial !== true) };
}
