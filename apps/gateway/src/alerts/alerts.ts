/** Owns what the room of alerts offers the other rooms. */
import type { AlertHistory, AlertItem, AlertList, Delivery, DeliveryLog, Silence, SilenceRequest } from '../contract.ts';
import type { AlertsEntry } from '@holdfast/manifest';

/** Anyone who acts on an alert: the name of a token, never the token. */
export interface AlertActor {
  readonly by: string;
}

interface HistoryQuery {
  readonly limit: number;
  /** Of events before this id. */
  readonly before?: number | undefined;
}

export interface Alerts {
  /** Continues with what was kept, and looks at the rules from now on. */
  start(): void;
  /** Pending, firing and lately resolved; those that fire first. */
  readonly active: () => readonly AlertItem[];
  /** Told after something of `active` or of the silences has changed, at most once for each evaluation. Returns how to stop. */
  subscribe(listener: () => void): () => void;
  list(): AlertList;
  history(query: HistoryQuery): AlertHistory;
  deliveries(limit: number): DeliveryLog;
  /** The alert after it; `undefined`: no such alert fires. */
  acknowledge(fingerprint: string, actor: AlertActor & { readonly comment?: string | undefined }): AlertItem | undefined;
  silence(request: SilenceRequest, actor: AlertActor): Silence;
  /** The silence after it; `undefined`: there is none of this id. */
  endSilence(id: string, actor: AlertActor): Silence | undefined;
  /** Sends a made-up alert; `undefined`: there is no receiver of this name. Never rejects. */
  test(receiver: string): Promise<Delivery | undefined>;
  /** The names of the receivers. */
  receivers(): readonly string[];
  /** Puts changed rules and receivers in force. */
  apply(entry: AlertsEntry): void;
  /** Waits for deliveries on their way at most this long; nothing runs after it. */
  close(limitMs: number): Promise<void>;
}
