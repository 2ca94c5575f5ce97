/**
 * Owns a world of simulated time in which many turns share agenda, gates and memory, as the turns of one service do. Synchronous: no promises, no timers,
 * thousands of times faster than real time. Machines, gates and decisions are those of real services. A trace is kept where one is passed in.
 */
import { createCallState } from '../../../engine/call/state.ts';
import type { ToolSettings, TurnSettings } from '../../../engine/settings/settings.ts';
import type { TimerHandle } from '../../../engine/ports/system.ts';
import type { SingleCallSettings, TraceEventBody } from '../../../engine/trace/events.ts';
import type { Trace } from '../../../engine/trace/turn-trace.ts';
import type { PlanGraph } from '../../../engine/turn/plan.ts';
import { createReport } from '../../../engine/turn/create-report.ts';
import type { TurnReport } from '../../../engine/turn/report.ts';
import { createTurnState } from '../../../engine/turn/state.ts';
import { settingsLookup } from '../call-settings.ts';
import type { CallStart } from '../effect-loop.ts';
import { EffectLoop, turnDeadline, type TurnRun } from '../effect-loop.ts';
import type { Host } from '../host.ts';
import { CallRun } from '../host.ts';
import type { VirtualTools } from './virtual-tools.ts';

/** What the turns of a virtual world share. */
export interface VirtualWorldOptions {
  /** Clock, timers, gates and attempts. */
  readonly host: Host;
  /** The tools, with the settings that calls run under. */
  readonly tools: VirtualTools;
  /** Settings of all other tools. */
  readonly base: ToolSettings;
}

/** Where further inputs of a turn, or of a single call, go. */
export type TurnInputs = Pick<EffectLoop, 'feedTurn'>;

/** A turn to start in a virtual world. */
interface WorldTurn {
  /** Id of the turn; random delays depend on it and on the seed. */
  readonly turnId: string;
  /** Seed of every random delay. */
  readonly seed: string;
  /** The checked plan, from `checkPlan`. */
  readonly graph: PlanGraph;
  /** Deadline, concurrency and cap on retries. */
  readonly settings: TurnSettings;
  /** @default no trace is kept */
  readonly trace?: Trace;
  /** The turn's first event, if one is wanted. */
  readonly started?: TraceEventBody | undefined;
  /** Called once the turn is set up: schedules further inputs for its machines. */
  readonly schedule?: ((inputs: TurnInputs) => void) | undefined;
  /** Runs the only call of the plan outside of a turn: its trace begins with its own start, which has these settings, and ends with its own end. */
  readonly single?: SingleCallSettings | undefined;
  /** Called once, with the report; late work may continue. */
  readonly onSettled: (report: TurnReport) => void;
}

/** Runs any number of turns that share tools and simulated time. */
export interface VirtualWorld {
  /** Starts a turn now. Tools that outlive it continue. */
  startTurn(turn: WorldTurn): void;
}

const noTrace: Trace = { append: () => {} };

/** Creates a world without turns. Time passes when the agenda of the host runs. */
export function createVirtualWorld({ host, tools, base }: VirtualWorldOptions): VirtualWorld {
  const settingsOf = (name: string): ToolSettings | undefined => tools.get(name)?.settings;
  return {
    startTurn(turn) {
      const { turnId, seed, graph, settings, trace = noTrace, started, schedule, single, onSettled } = turn;
      const now = host.now();
      const deadlineAt = settings.timeoutMs === null ? undefined : now + settings.timeoutMs;
      const allowance = { left: settings.maxRetries };
      const openCall = ({ node: { callId, call }, arguments: args, problem }: CallStart, settled: CallRun['onSettled']): CallRun => {
        const spec = {
          turnId,
          seed,
          callKey: callId,
          callId,
          toolName: call.toolName,
          optional: call.optional ?? false,
          critical: call.critical ?? false,
          settingsOf: settingsLookup(settingsOf, call),
          deadlineAt,
          allowance,
          idempotencyKey: `${turnId}-${callId}`,
          ...(single && { single: true, recordedSettings: single }),
        };
        const run = new CallRun(createCallState(spec, base, host.moment), trace, args, problem, settled);
        run.prepared = args;
        return run;
      };
      if (single) return startSingleCall(host, turn, openCall);
      const loop = new EffectLoop(host, { state: createTurnState(turnId, graph, settings, now), trace, openCall, onSettled });
      if (started) host.append(trace, { ...started });
      schedule?.(loop);
      loop.feedTurn({ type: 'submitted' });
    },
  };
}

/** As a service runs a single call: its deadline aborts it, and no turn sees its result. */
function startSingleCall(host: Host, { turnId, graph, settings, schedule, onSettled }: WorldTurn, openCall: TurnRun['openCall']): void {
  const [node] = graph.nodes;
  if (!node) return;
  const { timeoutMs } = settings;
  const state = createTurnState(turnId, graph, settings, host.now());
  const loop = new EffectLoop(host);
  let deadline: TimerHandle | undefined;
  const run = openCall({ node, arguments: {} }, (result) => {
    if (deadline) host.clearTimer(deadline);
    Object.assign(state.calls.get(node.callId) ?? {}, { result, startedAt: state.startedAt, settledAt: host.now() });
    if (result.error?.code === 'CANCELLED') state.ended = 'cancelled';
    onSettled(createReport(state, host.now()));
  });
  const expire = (): void => loop.feed(run, { type: 'deadline_reached', onDeadline: 'abort', timeoutMs });
  if (timeoutMs !== null) deadline = host.setTimer(timeoutMs, expire, turnDeadline);
  schedule?.({ feedTurn: (input) => (input.type === 'cancelled' ? loop.feed(run, input) : undefined) });
  loop.begin(run, { type: 'submitted' });
}
