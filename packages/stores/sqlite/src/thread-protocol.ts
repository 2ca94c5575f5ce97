/**
 * Owns the messages between the store's two threads.
 *
 * A shared word has the state of the exchange, so that each side can wait for the other without the event loop: at the end of the process there is none.
 * Only the store moves it from `idle` to `posted`, only the thread from `posted` to `working` and back to `idle`. The store may withdraw a
 * posted task, and the thread ignores a task that is no longer posted.
 */
import type { MessagePort } from 'node:worker_threads';
import type { States } from '@holdfast/core/internal/store';
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
      /** One event per line, as JSON: one text is cheaper to post than many. */
      readonly lines: string;
      readonly states: States;
      /** What was known of runs when the thread took over. */
      readonly runs?: ReadonlyMap<string, RunState>;
      readonly now: number;
    }
  | { readonly type: 'beat'; readonly task: number; readonly now: number }
  | { readonly type: 'sweep'; readonly task: number; readonly now: number }
  | { readonly type: 'close'; readonly task: number };

/** The result of a task. */
export interface Done {
  readonly written: number;
  readonly dropped: number;
  /** Whether there is more to sweep. */
  readonly more: boolean;
}

export interface Prevented {
  readonly kind: SqliteFaultKind;
  /** Absent for a lock, which alone is no fault. */
  readonly problem?: string;
}

/** The writing thread's answer to a task. */
export type Answer = Done | Prevented;
