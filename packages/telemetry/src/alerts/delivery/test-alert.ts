/** Owns the test alert of a receiver. */
import { fingerprint } from '@holdfast/core/internal';
import type { NotifiedAlert } from '../receivers/notification.ts';

export function testAlert(receiver: string, nowMs: number): NotifiedAlert {
  const labels = { alertname: 'HoldfastTest', receiver, severity: 'info' };
  return {
    status: 'firing',
    labels,
    annotations: { summary: 'A test of this receiver.', description: 'Somebody pressed the test button. Nothing is the matter.' },
    startsAt: nowMs,
    generatorUrl: '',
    fingerprint: fingerprint(labels),
  };
}
