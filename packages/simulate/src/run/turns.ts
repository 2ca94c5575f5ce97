/** Owns the turns of a run: passed to a client when they begin, counted when they end. */
import type { Agenda } from '@holdfast/core/internal';
import type { EndedTurn } from '../metrics/ended-turn.ts';
import type { Recorder } from '../metrics/recorder.ts';
import { failureOf, type Failure } from '../world/fate.ts';
import type { Schedule } from '../world/schedule.ts';
import { createStream, keyOf } from '../world/streams.ts';
import type { World } from '../world/world.ts';
import type { LabClient, LabPlan, LabTurn, LabTurnResult } from './contender.ts';
import { WorldCall } from './requests.ts';

export interface Turns {
  begin(turn: NewTurn): void;
  /** Ends the run: all open turns have failed. */
  giveUp(): void;
}

/** A turn that an agent begins. */
interface NewTurn {
  /** The client of the agent's process. */
  readonly client: LabClient;
  readonly plan: LabPlan;
  /** Number of the agent's group. */
  readonly group: number;
  readonly id: string;
  /** The same for every contender. */
  readonly key: number;
  /** Nothing waits for the turn any more. */
  readonly ended?: () => void;
}

export interface TurnsOptions {
  readonly agenda: Agenda;
  readonly recorder: Recorder;
  readonly onTurnEnded: ((turn: EndedTurn) => void) | undefined;
  readonly schedule: Schedule;
  readonly world: World;
  readonly seed: string;
}

const none: LabTurnResult = { succeeded: [] };

export function createTurns({ agenda, recorder, onTurnEnded, schedule, world, seed }: TurnsOptions): Turns {
  const open = new Set<(result: LabTurnResult) => void>();
  const hopeless = createHopeless(world, schedule, seed);
  return {
    begin({ client, plan, group, id, key, ended }) {
      const startedAt = agenda.now();
      const calls = plan.calls.map((call, index) => {
        const callKey = keyOf(key, index);
        return new WorldCall(call, callKey, hopeless(call.toolName, group, callKey, startedAt));
      });
      const turn: LabTurn = { id, startedAt, deadlineAt: startedAt + plan.deadlineMs, calls, plan };
      recorder.begun(calls.length, startedAt);
      const finish = (result: LabTurnResult): void => {
        if (!open.delete(finish)) return;
        const ending = { ...endingOf(turn, result, agenda.now(), calls), group };
        recorder.ended(ending);
        onTurnEnded?.(ending);
        ended?.();
      };
      open.add(finish);
      client.turn(turn, finish);
      if (ended) agenda.at(turn.deadlineAt, () => finish(none), 1);
    },
    giveUp() {
      for (const done of open) done(none);
    },
  };
}

/** A result after the deadline is not a success. */
function endingOf(
  { id, startedAt, deadlineAt, plan }: LabTurn,
  { succeeded }: LabTurnResult,
  now: number,
  calls: readonly WorldCall[],
): Omit<EndedTurn, 'group'> {
  const inTime = now <= deadlineAt;
  const required = plan.calls.every(({ optional }, index) => optional || succeeded[index] === true);
  return {
    id,
    startedAt,
    endedAt: inTime ? now : deadlineAt,
    calls: calls.length,
    callsSucceeded: succeeded.filter(Boolean).length,
    succeeded: inTime && required,
    hopeless: calls.some(({ hopeless }) => hopeless !== undefined),
  };
}

/** How the call of a tool by a group fails that can never succeed; `undefined` for all others. */
type Hopeless = (toolName: string, group: number, callKey: number, now: number) => Failure | undefined;

function createHopeless(world: World, schedule: Schedule, seed: string): Hopeless {
  const chance = createStream(seed, 'permanent');
  const faultsOf = new Map(
    Object.entries(world.tools).map(([name, { service }]) => [
      name,
      schedule.faultsOf(service).flatMap(({ kind, fromMs, untilMs }) => (kind.kind === 'permanent' ? [{ kind, fromMs, untilMs }] : [])),
    ]),
  );
  return (toolName, group, callKey, now) => {
    const faults = faultsOf.get(toolName) ?? [];
    if (faults.length === 0) return undefined;
    const drawn = chance(callKey);
    const hit = faults.find(
      ({ kind, fromMs, untilMs }) =>
        now >= fromMs && now < untilMs && drawn < kind.share && (kind.group === undefined || kind.group === group),
    );
    return hit && failureOf({ status: 400, ...hit.kind });
  };
}
