/** Owns converting an alert of the engine to the alert that receivers get. */
import type { Alert } from '@holdfast/core/alerts';
import type { FiringAlert } from '@holdfast/telemetry/alerts';

/** `base` is the address of the dashboard, `''` when it is not known. */
export function firingAlert(alert: Alert, base: string): FiringAlert {
  const { fingerprint, labels, annotations, firedAtEpochMs, activeAtEpochMs, silencedBy, inhibitedBy, acknowledged } = alert;
  return {
    fingerprint,
    labels,
    annotations: { ...annotations },
    startsAt: firedAtEpochMs ?? activeAtEpochMs,
    generatorUrl: base === '' ? '' : `${base}/alerts?alert=${fingerprint}`,
    isMuted: silencedBy.length > 0 || inhibitedBy.length > 0 || acknowledged !== undefined,
  };
}
