/**
 * Owns the virtual driver: a turn in simulated time, whose tools are scripted. Synchronous: no promise, no timer, thousands of times faster than real time.
 * The machines, gates and decisions are the same as everywhere.
 */
import type { CircuitSnapshot } from '../../breaker/index.ts';
import { restore } from '../../admission/index.ts';
import { createCallState } from '../../call/state.ts';
import type { EpisodicMemory } from '../../memory/episodic-memory.ts';
import { ErrorHandler } from '../../recover/error-handler.ts';
import type { PolicyRule } from '../../recover/policies.ts';
import { settingsLookup } from '../call-settings.ts';
import type { ToolSettings, TurnSettings } from '../../settings/settings.ts';
import type { GatedTool } from '../tool-runtime.ts';
import { createGatedTool } from '../tool-runtime.ts';
import type { TraceEvent, TurnStarted } from '../../trace/events.ts';
import { createTimestamps, TurnTrace } from '../../trace/turn-trace.ts';
import type { PlanGraph } from '../../turn/plan.ts';
import type { TurnReport } from '../../turn/report.ts';
import { createTurnState } from '../../turn/state.ts';
import { Conductor } from '../conductor.ts';
import type { Host } from '../host.ts';
import { CallRun } from '../host.ts';
import type { Agenda } from './agenda.ts';
import { createAgenda } from './agenda.ts';
import type { Script } from './virtual-host.ts';
import { VirtualHost } from './virtual-host.ts';

/** Tools in simulated time: their settings and gates. Shared by all turns of one world. */
export type VirtualTools = ReadonlyMap<string, GatedTool>;

export function createVirtualTools(
  settings: Readonly<Record<string, ToolSettings>>,
  circuits: Readonly<Record<string, CircuitSnapshot>> = {},
): VirtualTools {
  const tools = new Map(Object.entries(settings).map(([name, own]) => [name, createGatedTool(name, own)]));
  for (const [name, snapshot] of Object.entries(circuits)) {
    const tool = tools.get(name);
    // Saved and restored at the same moment: nothing of an open period has passed.
    if (tool) restore(tool.gate, snapshot, { now: 0, nowEpochMs: snapshot.savedAtEpochMs });
  }
  return tools;
}

export interface VirtualTurn {
  readonly turnId: string;
  readonly seed: string;
  readonly graph: PlanGraph;
  readonly settings: TurnSettings;
  readonly tools: VirtualTools;
  /** Settings of tools that are not among `tools`. */
  readonly base: ToolSettings;
  readonly script: Script;
  readonly policies?: readonly PolicyRule[];
  readonly memory?: EpisodicMemory;
  /** Wall clock at the start, milliseconds since 1970. */
  readonly startedAtEpochMs: number;
  /** Another host over the same agenda, as replay uses. @default gates and timers of the simulated world */
  readonly host?: (agenda: Agenda, handler: ErrorHandler) => Host;
  /** The turn's first event, where one is wanted: settings as they were. */
  readonly started?: TurnStarted | undefined;
  /** Done once the turn is set up: further inputs for its machines. */
  readonly schedule?: (agenda: Agenda, conductor: Conductor) => void;
}

export interface VirtualTurnResult {
  readonly report: TurnReport;
  readonly trace: readonly TraceEvent[];
}

/** Runs a turn to its end, late work included. */
export function runVirtualTurn(turn: VirtualTurn): VirtualTurnResult {
  const { turnId, seed, graph, settings, tools, base, script, policies = [], memory, startedAtEpochMs } = turn;
  const agenda = createAgenda();
  const timestamps = createTimestamps();
  const trace = new TurnTrace({ turnId, startedAt: 0, timestamp: (elapsedMs) => timestamps(startedAtEpochMs + elapsedMs) });
  const handler = new ErrorHandler({ policies, ...(memory ? { memory } : {}) });
  const host = turn.host?.(agenda, handler) ?? new VirtualHost({ agenda, handler, tools, script });
  const allowance = { left: settings.maxRetries };
  let report: TurnReport | undefined;
  const conductor = new Conductor(host, {
    state: createTurnState(turnId, graph, settings, 0),
    trace,
    openCall: ({ node: { callId, call }, arguments: args, problem }, onSettled): CallRun => {
      const run = new CallRun(
        createCallState(
          {
            turnId,
            seed,
            callKey: callId,
            callId,
            toolName: call.toolName,
            optional: call.optional ?? false,
            critical: call.critical ?? false,
            settingsOf: settingsLookup((name) => tools.get(name)?.settings, call),
            deadlineAt: settings.timeoutMs === null ? undefined : settings.timeoutMs,
            allowance,
            idempotencyKey: `${turnId}-${callId}`,
          },
          base,
          agenda.now(),
        ),
        trace,
        args,
        problem,
        onSettled,
      );
      run.prepared = args;
      return run;
    },
    onSettled: (settled) => {
      report = settled;
    },
  });
  if (turn.started) host.append(trace, { ...turn.started });
  turn.schedule?.(agenda, conductor);
  conductor.feedTurn({ type: 'submitted' });
  agenda.run();
  if (!report) throw new Error('virtual turn: nothing is left to happen, but the turn has not settled');
  return { report, trace: trace.events };
}
