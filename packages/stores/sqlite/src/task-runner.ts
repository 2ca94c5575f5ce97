/**
 * Owns the writing itself, on whichever thread: each task is one transaction. Remembers the latest run of each turn id.
 * Does not own when something is written, or what happens after a failure.
 */
import { isMainThread } from 'node:worker_threads';
import type { States } from '@holdfast/core/internal/store';
import { writeBatch, type RunState } from './batch.ts';
import type { Entry } from './event-row.ts';
import type { Link } from './link.ts';
import { type RetentionLimits, sweepStep } from './retention.ts';
import type { Done } from './thread-protocol.ts';
import type { WriterIdentity } from './writer-identity.ts';

/** More than the turns that run at once; others are looked up in the file. */
const rememberedRuns = 10_000;

/** How long a step of retention may take: on the caller's thread, calls wait for it. */
const callerBudgetMs = 4;
const threadBudgetMs = 40;

interface WriteTask {
  readonly type: 'write';
  readonly entries: readonly Entry[];
  readonly states: States;
  readonly now: number;
}

/** `beat` writes the heartbeat if it is needed; `sweep` is one step of retention. */
export type Task = WriteTask | { readonly type: 'beat' | 'sweep'; readonly now: number };

export interface TaskRunner {
  /** Throws the error that prevents it; then nothing of the task is in the file. */
  perform(task: Task): Done;
  /** What is known of the runs in the open file; `undefined` if the file was replaced. */
  runs(): ReadonlyMap<string, RunState> | undefined;
  /** Takes over what another runner knew of the same file. */
  learn(runs: ReadonlyMap<string, RunState>): void;
  /** Ignores events of a turn from now on, until a new run of it begins. */
  ignoreTurn(turnId: string): void;
}

export function createTaskRunner(link: Link, limits: RetentionLimits, identity: WriterIdentity): TaskRunner {
  let known = new Map<string, RunState>();
  let generation = 0;

  const remember = (learned: ReadonlyMap<string, RunState>): void => {
    for (const [turnId, run] of learned) {
      known.delete(turnId);
      known.set(turnId, run);
    }
    for (const turnId of known.keys()) {
      if (known.size <= rememberedRuns) break;
      known.delete(turnId);
    }
  };

  const write = ({ entries, states, now }: Omit<WriteTask, 'type'>): Done => {
    const connection = link.open();
    if (generation !== link.generation) {
      generation = link.generation;
      known = new Map();
    }
    const { runs, written, dropped } = writeBatch(connection, { entries, states, runs: known, writer: identity, now });
    remember(runs);
    return { written, dropped, more: false };
  };

  return {
    perform(task) {
      if (task.type === 'write') return write(task);
      if (task.type === 'sweep')
        return {
          written: 0,
          dropped: 0,
          more: sweepStep(link.open(), limits, task.now, isMainThread ? callerBudgetMs : threadBudgetMs),
        };
      const anyRuns = [...known.values()].some((run) => !run.ended);
      return anyRuns
        ? write({ entries: [], states: { circuits: new Map(), memory: new Map() }, now: task.now })
        : { written: 0, dropped: 0, more: false };
    },
    runs() {
      link.open();
      return generation === link.generation ? known : undefined;
    },
    learn(runs) {
      link.open();
      generation = link.generation;
      remember(runs);
    },
    ignoreTurn(turnId) {
      remember(new Map([[turnId, { run: known.get(turnId)?.run ?? 0, ended: true, deleted: true }]]));
    },
  };
}
