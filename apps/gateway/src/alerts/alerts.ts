/** Owns the interface of alerting to the rest of the gateway. */
import type { AlertHistory, AlertItem, AlertList, Delivery, DeliveryLog, Silence, SilenceRequest } from '../contract.ts';
import type { AlertsEntry } from '@holdfast/manifest';

/** The operator who acts on an alert: the name of a token, never the token. */
export interface AlertActor {
  readonly by: string;
}

interface HistoryQuery {
  readonly limit: number;
  /** Returns only events before this id. */
  readonly before?: number | undefined;
}

export interface Alerts {
  /** Restores the saved state and starts to evaluate the rules. */
  start(): void;
  /** Alerts that are firing, pending or recently resolved; firing alerts first. */
  readonly active: () => readonly AlertItem[];
  /** Notifies the listener when alerts or silences have changed, at most once for each evaluation. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  list(): AlertList;
  history(query: HistoryQuery): AlertHistory;
  deliveries(limit: number): DeliveryLog;
  /** Returns the updated alert; `undefined` when no such alert is active. */
  acknowledge(fingerprint: string, actor: AlertActor & { readonly comment?: string | undefined }): AlertItem | undefined;
  /** Withdraws the acknowledgement of an alert. Returns the updated alert; `undefined` when no such alert is active. */
  withdraw(fingerprint: string, actor: AlertActor): AlertItem | undefined;
  silence(request: SilenceRequest, actor: AlertActor): Silence;
  /** Returns the updated silence; `undefined` when no silence has this id. */
  endSilence(id: string, actor: AlertActor): Silence | undefined;
  /** Sends a test alert; `undefined` when no receiver has this name. Never rejects. */
  test(receiver: string): Promise<Delivery | undefined>;
  /** The names of the receivers. */
  receivers(): readonly string[];
  /** Applies changed rules and receivers. */
  apply(entry: AlertsEntry): void;
  /** Waits at most this long for deliveries in progress; nothing runs afterwards. */
  close(limitMs: number): Promise<void>;
}
