/** Owns running one turn with scripted tools in simulated time, from its submission to the end of its last work. */
import type { EpisodicMemory } from '../../../projections/episodic-memory.ts';
import { ErrorHandler } from '../../../engine/recover/error-handler.ts';
import type { RecoveryRule } from '../../../engine/recover/recovery-rules.ts';
import type { ToolSettings, TurnSettings } from '../../../engine/settings/settings.ts';
import type { SingleCallSettings, TraceEvent, TurnStarted } from '../../../engine/trace/events.ts';
import { createTimestamps, TurnTrace } from '../../../engine/trace/turn-trace.ts';
import type { PlanGraph } from '../../../engine/turn/plan.ts';
import type { TurnReport } from '../../../engine/turn/report.ts';
import type { Host } from '../host.ts';
import type { Agenda } from './agenda.ts';
import { createAgenda } from './agenda.ts';
import type { Script } from './script.ts';
import { performScript } from './script.ts';
import { VirtualHost } from './virtual-host.ts';
import type { VirtualTools } from './virtual-tools.ts';
import { createVirtualWorld, type TurnInputs } from './virtual-world.ts';

export interface VirtualTurn {
  readonly turnId: string;
  readonly seed: string;
  readonly graph: PlanGraph;
  readonly settings: TurnSettings;
  readonly tools: VirtualTools;
  /** Settings of all other tools. */
  readonly base: ToolSettings;
  readonly script: Script;
  readonly recoveryRules?: readonly RecoveryRule[];
  readonly memory?: EpisodicMemory;
  /** Wall clock at the start, milliseconds since 1970. */
  readonly startedAtEpochMs: number;
  /** Another host over the same agenda, as replay uses. @default gates and timers of the simulated world */
  readonly host?: (agenda: Agenda, handler: ErrorHandler) => Host;
  /** The turn's first event, if it is recorded: the settings of the recorded turn. */
  readonly started?: TurnStarted | undefined;
  /** Called once the turn is set up: schedules further inputs for its machines. */
  readonly schedule?: (agenda: Agenda, inputs: TurnInputs) => void;
  /** Runs the only call of the plan outside of a turn, recorded with these settings. */
  readonly single?: SingleCallSettings | undefined;
}

export interface VirtualTurnResult {
  readonly report: TurnReport;
  readonly trace: readonly TraceEvent[];
}

/** Runs a turn to its end, late work included. */
export function runVirtualTurn(turn: VirtualTurn): VirtualTurnResult {
  const {
    turnId,
    seed,
    graph,
    settings,
    tools,
    base,
    script,
    recoveryRules = [],
    memory,
    startedAtEpochMs,
    started,
    schedule,
    single,
  } = turn;
  const agenda = createAgenda();
  const timestamps = createTimestamps();
  const trace = new TurnTrace({ turnId, startedAt: 0, timestamp: (elapsedMs) => timestamps(startedAtEpochMs + elapsedMs) });
  const handler = new ErrorHandler({ recoveryRules, ...(memory ? { memory } : {}) });
  const host = turn.host?.(agenda, handler) ?? new VirtualHost({ agenda, handler, tools, perform: performScript(agenda, script) });
  let report: TurnReport | undefined;
  createVirtualWorld({ host, tools, base }).startTurn({
    turnId,
    seed,
    graph,
    settings,
    trace,
    started,
    single,
    schedule: schedule && ((inputs) => schedule(agenda, inputs)),
    onSettled: (settled) => {
      report = settled;
    },
  });
  agenda.run();
  if (!report) throw new Error('virtual turn: no task is left, but the turn has not settled');
  return { report, trace: trace.events };
}
