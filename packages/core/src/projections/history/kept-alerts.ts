/** Owns the types of stored alert records. Does not own their meaning: bodies are JSON of the program that stores them. */
import type { HistoryLease } from './lease.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** Something that happened to an alert. */
export interface AlertEventRecord {
  /** When it happened, milliseconds since 1970. */
  readonly atMs: number;
  /** What happened, such as `firing`, `resolved`, `acknowledged` or `silenced`. */
  readonly kind: string;
  /** Fingerprint of the alert; absent for a silence. */
  readonly fingerprint?: string | undefined;
  /** Name of the alert's rule; for a silence, its id. */
  readonly name: string;
  /** Name of the tool; absent where the alert has none. */
  readonly tool_id?: string | undefined;
  /** What happened, in words. */
  readonly text: string;
  /** The operator who did it; absent when none did. */
  readonly by?: string | undefined;
}

/** A notification on its way. */
export interface DeliveryRecord {
  /** Key of the notification: a record with the same key replaces the earlier one. */
  readonly key: string;
  /** When the delivery began, milliseconds since 1970. */
  readonly atMs: number;
  /** Name of the receiver. */
  readonly receiver: string;
  /** The delivery as JSON. */
  readonly body: string;
}

/** A stored entry with its id; ids increase. */
export type Kept<Entry> = Entry & { readonly id: number };

/** Stores alert records. Bounded: the newest are kept. Every method may throw or reject with an error of the database. */
export interface AlertRecords {
  /** Stores an event and returns it with its id. */
  addEvent(event: AlertEventRecord): MaybePromise<Kept<AlertEventRecord>>;
  /** Returns the latest events, newest first; with `before`, those with smaller ids. */
  events(query: { readonly limit: number; readonly before?: number | undefined }): MaybePromise<readonly Kept<AlertEventRecord>[]>;
  /** Stores a delivery, or replaces the body of the one with its key. Returns its id. */
  saveDelivery(delivery: DeliveryRecord): MaybePromise<number>;
  /** Returns the latest deliveries of all receivers or of one, newest first. */
  deliveries(query: { readonly limit: number; readonly receiver?: string | undefined }): MaybePromise<readonly Kept<DeliveryRecord>[]>;
  /** Stores a named state. With `lease`, nothing is stored once another process holds the lease. */
  saveState(name: string, body: string, nowMs: number, lease?: HistoryLease): MaybePromise<void>;
  /** Returns the state that was stored last under a name; `undefined` when there is none. */
  state(name: string): MaybePromise<string | undefined>;
}
