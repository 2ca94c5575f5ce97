/** Owns the words of what is kept of alerts. Does not own what any of it means: bodies are JSON of the one that keeps them. */
import type { HistoryLease } from './lease.ts';
import type { Soon } from './maybe-promise.ts';

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
  readonly tool?: string | undefined;
  /** What happened, in words. */
  readonly text: string;
  /** The operator who did it; absent when none did. */
  readonly by?: string | undefined;
}

/** A notification on its way. */
export interface DeliveryRecord {
  /** Of the notification: a record of the same key takes the place of the earlier one. */
  readonly key: string;
  /** When the delivery began, milliseconds since 1970. */
  readonly atMs: number;
  /** Name of the receiver. */
  readonly receiver: string;
  /** JSON. */
  readonly body: string;
}

/** An entry as it is kept, with its id; ids grow. */
export type Kept<Entry> = Entry & { readonly id: number };

/** What is kept is bounded, the newest stays. Every method may throw or reject with what the database says. */
export interface AlertRecords {
  /** Keeps an event and answers it with its id. */
  addEvent(event: AlertEventRecord): Soon<Kept<AlertEventRecord>>;
  /** Newest first. */
  events(query: { readonly limit: number; readonly before?: number | undefined }): Soon<readonly Kept<AlertEventRecord>[]>;
  /** Keeps a delivery, or replaces the body of the one with its key. Answers its id. */
  saveDelivery(delivery: DeliveryRecord): Soon<number>;
  /** Newest first, of all receivers or of one. */
  deliveries(query: { readonly limit: number; readonly receiver?: string | undefined }): Soon<readonly Kept<DeliveryRecord>[]>;
  /** With `lease`, nothing is saved once the lease is another's. */
  saveState(name: string, body: string, nowMs: number, lease?: HistoryLease): Soon<void>;
  /** What `saveState` saved last under a name; `undefined` when nothing was. */
  state(name: string): Soon<string | undefined>;
}
