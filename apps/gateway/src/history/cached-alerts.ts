/**
 * Owns the records of alerts in a database that several gateways share: read once at the start, then cached in memory and written in the background.
 *
 * Invariants
 * 1. Queries are answered at once, from memory; a failed write is reported once, and its data is lost.
 * 2. Events of alerts are written by the one gateway that sends notifications; actions of operators, by the gateway that handled them.
 */
import { describeError } from '@holdfast/core/internal';
import type { AlertRecords, HistoryLease } from '@holdfast/core/history';
import type { MaybePromise } from '@holdfast/core/internal';
import type { AlertEventRecord, SyncAlertRecords, DeliveryRecord, Kept } from '@holdfast/store-sqlite/history';

export interface CachedAlertsOptions {
  readonly records: AlertRecords;
  /** The gateway that holds it sends notifications. */
  readonly lease: HistoryLease | undefined;
  readonly onFault: (text: string) => void;
}

const kept = 500;
const states = ['engine', 'notifier'] as const;
/** The owner among processes of one machine. Not used here: the lease decides between several machines. */
const ownerState = 'owner';

export async function cachedAlerts({ records, lease, onFault }: CachedAlertsOptions): Promise<SyncAlertRecords> {
  const events: Kept<AlertEventRecord>[] = [...(await records.events({ limit: kept }))];
  const deliveries: Kept<DeliveryRecord>[] = [...(await records.deliveries({ limit: kept }))];
  const known = new Map<string, string>();
  for (const name of states) {
    const body = await records.state(name);
    if (body !== undefined) known.set(name, body);
  }
  let hasFailed = false;
  const mayNotify = (): boolean => lease?.isHeld() ?? true;
  const write = async (work: () => MaybePromise<unknown>): Promise<void> => {
    try {
      await work();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onFault(`Alert events are not recorded: ${describeError(error).message}`);
      hasFailed = true;
    }
  };
  return {
    addEvent(event) {
      const added = { ...event, id: (events[0]?.id ?? 0) + 1 };
      events.unshift(added);
      events.length = Math.min(events.length, kept);
      if (mayNotify() || event.by !== undefined) void write(() => records.addEvent(event));
      return added;
    },
    events: ({ limit, before = Infinity }) => events.filter(({ id }) => id < before).slice(0, limit),
    saveDelivery(delivery) {
      const at = deliveries.findIndex(({ key }) => key === delivery.key);
      const id = deliveries[at]?.id ?? (deliveries[0]?.id ?? 0) + 1;
      if (at >= 0) deliveries.splice(at, 1);
      deliveries.unshift({ ...delivery, id });
      deliveries.length = Math.min(deliveries.length, kept);
      void write(() => records.saveDelivery(delivery));
      return id;
    },
    deliveries: ({ limit, receiver }) => deliveries.filter((each) => receiver === undefined || each.receiver === receiver).slice(0, limit),
    saveState(name, body, nowMs) {
      if (name === ownerState) return;
      known.set(name, body);
      if (mayNotify()) void write(() => records.saveState(name, body, nowMs, lease));
    },
    state: (name) => known.get(name),
  };
}
