/**
 * Owns recording the events of alerts. A failing database affects nothing else: the failure is reported once, and the events are lost.
 */
import { describeError } from '@holdfast/core/internal';
import type { Alert, AlertChange, Silence } from '@holdfast/core/alerts';
import type { AlertEventRecord, SyncAlertRecords } from '@holdfast/store-sqlite/history';
import type { Delivery } from '../contract.ts';

export interface AlertLog {
  /** Returns `fallback` when the database fails. */
  readonly attempt: <Value>(work: (records: SyncAlertRecords) => Value, fallback: Value) => Value;
  readonly change: (change: AlertChange) => void;
  readonly acknowledged: (alert: Alert, atMs: number, by: string, comment: string | undefined) => void;
  readonly withdrawn: (alert: Alert, atMs: number, by: string) => void;
  readonly silence: (kind: 'silenced' | 'silence_ended', silence: Silence, atMs: number, by: string | undefined) => void;
}

/** An alert that began to fire or ended, for the list of changes. */
export interface AlertNote {
  readonly kind: 'alert_firing' | 'alert_resolved';
  readonly text: string;
  readonly fingerprint: string;
  readonly tool_id?: string;
  readonly turn_id?: string;
  readonly call_id?: string;
}

export interface AlertLogOptions {
  readonly redact: (text: string) => string;
  readonly onFault: (text: string) => void;
  readonly note?: ((change: AlertNote) => void) | undefined;
}

export function createAlertLog(records: SyncAlertRecords, { redact, onFault, note }: AlertLogOptions): AlertLog {
  let hasFailed = false;
  const attempt = <Value>(work: (records: SyncAlertRecords) => Value, fallback: Value): Value => {
    try {
      const value = work(records);
      hasFailed = false;
      return value;
    } catch (error) {
      if (!hasFailed) onFault(`Alert events are not recorded: ${describeError(error).message}`);
      hasFailed = true;
      return fallback;
    }
  };
  const add = (event: AlertEventRecord): void =>
    attempt((kept) => {
      kept.addEvent({ ...event, text: redact(event.text) });
    }, undefined);
  return {
    attempt,
    change({ kind, atEpochMs, alert }) {
      add({ ...subjectOf(alert), atMs: atEpochMs, kind, text: textOf(kind, alert) });
      if (kind === 'firing' || kind === 'resolved') note?.(alertNote(kind, alert, redact));
    },
    acknowledged: (alert, atMs, by, comment = 'No comment.') => add({ ...subjectOf(alert), atMs, kind: 'acknowledged', text: comment, by }),
    withdrawn: (alert, atMs, by) =>
      add({ ...subjectOf(alert), atMs, kind: 'acknowledgement_withdrawn', text: 'Notifications are sent again.', by }),
    silence: (kind, silence, atMs, by) =>
      add({ atMs, kind, name: silence.id, text: silenceText(silence), ...(by === undefined ? {} : { by }) }),
  };
}

/** The number of latest deliveries that are checked. */
const maxChecked = 200;

/** Marks deliveries that were in progress when the process ended as failed: whether they arrived is not known. */
export function endInterrupted({ attempt }: AlertLog): void {
  attempt((kept) => {
    for (const delivery of kept.deliveries({ limit: maxChecked })) {
      const body = JSON.parse(delivery.body) as Omit<Delivery, 'id'>;
      if (body.status !== 'waiting') continue;
      const failed = { ...body, status: 'failed', code: 'INTERRUPTED', error: 'The gateway ended before the receiver answered.' };
      kept.saveDelivery({ ...delivery, body: JSON.stringify(failed) });
    }
  }, undefined);
}

function subjectOf({ fingerprint, name, labels }: Alert): Pick<AlertEventRecord, 'fingerprint' | 'name' | 'tool_id'> {
  return { fingerprint, name, tool_id: labels['tool'] };
}

function alertNote(
  kind: 'firing' | 'resolved',
  { fingerprint, labels, annotations, cause }: Alert,
  redact: (text: string) => string,
): AlertNote {
  const tool = labels['tool'];
  return {
    kind: `alert_${kind}`,
    text: redact(kind === 'resolved' ? `${annotations.summary}: resolved` : annotations.summary),
    fingerprint,
    ...(tool === undefined ? {} : { tool_id: tool }),
    ...(cause ? { turn_id: cause.turnId, ...(cause.callId === undefined ? {} : { call_id: cause.callId }) } : {}),
  };
}

function textOf(kind: AlertChange['kind'], { annotations }: Alert): string {
  if (kind === 'resolved') return `${annotations.summary}: resolved.`;
  if (kind === 'withdrawn') return `${annotations.summary}: the condition ended before the alert fired.`;
  return annotations.description;
}

function silenceText({ matchers, comment }: Silence): string {
  const words = matchers.map(({ name, value, isRegex = false, isEqual = true }) => {
    const sign = `${isEqual ? '=' : '!'}${isRegex ? '~' : isEqual ? '' : '='}`;
    return `${name}${sign}${JSON.stringify(value)}`;
  });
  return `${words.join(', ')}: ${comment}`;
}
