/**
 * Owns what the store's two threads say to each other.
 *
 * A shared word says whose turn it is, so that each side can be waited for without the event loop: at the end of the process there is none.
 * Only the store moves it from `idle` to `posted`, only the thread from `posted` to `working` and back to `idle`; the store may take a
 * posted task back, and the thread does nothing with a task that is not posted any more.
 */
import type { MessagePort } from 'node:worker_threads';
import type { CircuitSnapshot } from '@holdfast/core';
import type { RunState } from './batch.ts';
import type { SqliteFaultKind, Settings } from './settings.ts';
import type { WriterIdentity } from './writer-identity.ts';

export const turnOf = { starting: 0, idle: 1, posted: 2, working: 3, closed: 4 } as const;

/** Places in the shared memory. */
export const place = { turn: 0, task: 1 } as const;

export interface ThreadStart {
  readonly settings: Omit<Settings, 'onFault'>;
  readonly identity: WriterIdentity;
  readonly shared: Int32Array<SharedArrayBuffer>;
  readonly port: MessagePort;
}

export type Message =
  | {
      readonly type: 'write';
      readonly task: number;
      /** One event a line, as JSON: one text is cheaper to hand over than many. */
      readonly lines: string;
      readonly circuits: ReadonlyMap<string, CircuitSnapshot>;
      /** What was known of runs when the thread took over. */
      readonly runs?: ReadonlyMap<string, RunState>;
      readonly now: number;
    }
  | { readonly type: 'beat'; readonly task: number; readonly now: number }
  | { readonly type: 'sweep'; readonly task: number; readonly now: number }
  | { readonly type: 'close'; readonly task: number };

/** What became of a task. */
export interface Done {
  readonly written: number;
  readonly dropped: number;
  /** There is more to sweep. */
  readonly more: boolean;
}

export interface Prevented {
  readonly kind: SqliteFaultKind;
  /** Absent for a lock, which is no fault by itself. */
  readonly problem?: string;
}

/** What the writing thread answers to a task. */
export type Answer = Done | Prevented;
