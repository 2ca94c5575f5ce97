/** Owns records of alerts that live as long as the process, for whoever keeps no history. */
import type { AlertEventRecord, AlertRecords, DeliveryRecord, Kept } from '@holdfast/store-sqlite/history';

const most = 500;

export function memoryRecords(): AlertRecords {
  const events: Kept<AlertEventRecord>[] = [];
  const deliveries = new Map<string, Kept<DeliveryRecord>>();
  const states = new Map<string, string>();
  let lastId = 0;
  return {
    addEvent(event) {
      const kept = { ...event, id: (lastId += 1) };
      events.unshift(kept);
      events.splice(most);
      return kept;
    },
    events: ({ limit, before = Infinity }) => events.filter(({ id }) => id < before).slice(0, limit),
    saveDelivery(delivery) {
      const id = deliveries.get(delivery.key)?.id ?? (lastId += 1);
      deliveries.set(delivery.key, { ...delivery, id });
      const [oldest] = deliveries.keys();
      if (deliveries.size > most && oldest !== undefined) deliveries.delete(oldest);
      return id;
    },
    deliveries: ({ limit, receiver }) =>
      [...deliveries.values()]
        .filter((delivery) => receiver === undefined || delivery.receiver === receiver)
        .toSorted((one, other) => other.id - one.id)
        .slice(0, limit),
    saveState: (name, body) => void states.set(name, body),
    state: (name) => states.get(name),
  };
}
