/** Owns the answers about alerts when alerting is not set up. */
import { createSilence } from './silences.ts';
import type { Alerts } from './alerts.ts';
import { silenceItem } from './alert-views.ts';

export const noAlerts: Alerts = {
  start: () => undefined,
  active: () => [],
  subscribe: () => () => undefined,
  list: () => ({ alerts: [], rules: [], silences: [], receivers: [] }),
  history: () => ({ events: [] }),
  deliveries: () => ({ deliveries: [] }),
  acknowledge: () => undefined,
  withdraw: () => undefined,
  silence: (request, { by }) => silenceItem(createSilence(request, by, 0), Infinity),
  endSilence: () => undefined,
  test: () => Promise.resolve(undefined),
  receivers: () => [],
  apply: () => undefined,
  close: () => Promise.resolve(),
};
