/** Owns the words of what is kept of alerts. Does not own what any of it means: bodies are JSON of the one that keeps them. */
import type { HistoryLease } from './lease.ts';
import type { Soon } from './maybe-promise.ts';

/** Something that happened to an alert. */
export interface AlertEventRecord {
  readonly atMs: number;
  readonly kind: string;
  readonly fingerprint?: string | undefined;
  readonly name: string;
  readonly tool_id?: string | undefined;
  readonly text: string;
  readonly by?: string | undefined;
}

/** A notification on its way. */
export interface DeliveryRecord {
  /** Of the notification: a record of the same key takes the place of the earlier one. */
  readonly key: string;
  readonly atMs: number;
  readonly receiver: string;
  /** JSON. */
  readonly body: string;
}

export type Kept<Entry> = Entry & { readonly id: number };

/** What is kept is bounded, the newest stays. Every method may throw or reject with what the database says. */
export interface AlertRecords {
  addEvent(event: AlertEventRecord): Soon<Kept<AlertEventRecord>>;
  /** Newest first. */
  events(query: { readonly limit: number; readonly before?: number | undefined }): Soon<readonly Kept<AlertEventRecord>[]>;
  saveDelivery(delivery: DeliveryRecord): Soon<number>;
  /** Newest first, of all receivers or of one. */
  deliveries(query: { readonly limit: number; readonly receiver?: string | undefined }): Soon<readonly Kept<DeliveryRecord>[]>;
  /** With `lease`, nothing is saved once the lease is another's. */
  saveState(name: string, body: string, nowMs: number, lease?: HistoryLease): Soon<void>;
  state(name: string): Soon<string | undefined>;
}
