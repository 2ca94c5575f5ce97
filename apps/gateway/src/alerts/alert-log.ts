/**
 * Owns keeping what happened to alerts. A database that fails takes nothing else with it: it is told once, and what was to be kept is lost.
 */
import { describeError } from '@holdfast/core/internal';
import type { Alert, AlertChange, Silence } from '@holdfast/core/alerts';
import type { AlertEventRecord, SyncAlertRecords } from '@holdfast/store-sqlite/history';
import type { Delivery } from '../contract.ts';

export interface Diary {
  /** `standIn` where the database fails. */
  readonly attempt: <Value>(work: (records: SyncAlertRecords) => Value, standIn: Value) => Value;
  readonly change: (change: AlertChange) => void;
  readonly acknowledged: (alert: Alert, atMs: number, by: string, comment: string | undefined) => void;
  readonly silence: (kind: 'silenced' | 'silence_ended', silence: Silence, atMs: number, by: string | undefined) => void;
}

/** For the list of what is otherwise than before. */
export interface ToldAlertChange {
  readonly kind: 'alert_firing' | 'alert_resolved';
  readonly text: string;
  readonly fingerprint: string;
  readonly tool_id?: string;
  readonly turn_id?: string;
  readonly call_id?: string;
}

export interface DiaryOptions {
  readonly redact: (text: string) => string;
  readonly onFault: (text: string) => void;
  readonly note?: ((change: ToldAlertChange) => void) | undefined;
}

export function createDiary(records: SyncAlertRecords, { redact, onFault, note }: DiaryOptions): Diary {
  let hasFailed = false;
  const attempt = <Value>(work: (records: SyncAlertRecords) => Value, standIn: Value): Value => {
    try {
      const value = work(records);
      hasFailed = false;
      return value;
    } catch (error) {
      if (!hasFailed) onFault(`What happens to alerts is not kept: ${describeError(error).message}`);
      hasFailed = true;
      return standIn;
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
      if (kind === 'firing' || kind === 'resolved') note?.(toldChange(kind, alert, redact));
    },
    acknowledged: (alert, atMs, by, comment = 'Without a comment.') =>
      add({ ...subjectOf(alert), atMs, kind: 'acknowledged', text: comment, by }),
    silence: (kind, silence, atMs, by) =>
      add({ atMs, kind, name: silence.id, text: silenceText(silence), ...(by === undefined ? {} : { by }) }),
  };
}

/** How many deliveries could have been on their way. */
const mostUnderway = 200;

/** What was on its way when the process ended has not arrived, as far as anybody knows. */
export function endInterrupted({ attempt }: Diary): void {
  attempt((kept) => {
    for (const delivery of kept.deliveries({ limit: mostUnderway })) {
      const body = JSON.parse(delivery.body) as Omit<Delivery, 'id'>;
      if (body.status !== 'waiting') continue;
      const failed = { ...body, status: 'failed', code: 'INTERRUPTED', error: 'The gateway ended before an answer came.' };
      kept.saveDelivery({ ...delivery, body: JSON.stringify(failed) });
    }
  }, undefined);
}

function subjectOf({ fingerprint, name, labels }: Alert): Pick<AlertEventRecord, 'fingerprint' | 'name' | 'tool_id'> {
  return { fingerprint, name, tool_id: labels['tool'] };
}

function toldChange(
  kind: 'firing' | 'resolved',
  { fingerprint, labels, annotations, cause }: Alert,
  redact: (text: string) => string,
): ToldAlertChange {
  const tool = labels['tool'];
  return {
    kind: `alert_${kind}`,
    text: redact(annotations.summary),
    fingerprint,
    ...(tool === undefined ? {} : { tool_id: tool }),
    ...(cause ? { turn_id: cause.turnId, ...(cause.callId === undefined ? {} : { call_id: cause.callId }) } : {}),
  };
}

function textOf(kind: AlertChange['kind'], { annotations }: Alert): string {
  if (kind === 'resolved') return `${annotations.summary}: no longer.`;
  if (kind === 'withdrawn') return `${annotations.summary}: it did not last.`;
  return annotations.description;
}

function silenceText({ matchers, comment }: Silence): string {
  const words = matchers.map(({ name, value, isRegex = false, isEqual = true }) => {
    const sign = `${isEqual ? '=' : '!'}${isRegex ? '~' : isEqual ? '' : '='}`;
    return `${name}${sign}${JSON.stringify(value)}`;
  });
  return `${words.join(', ')}: ${comment}`;
}
