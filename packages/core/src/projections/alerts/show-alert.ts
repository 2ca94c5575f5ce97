/** Owns the public form of an alert. */
import type { Alert, AlertPointer, Labels } from './alert.ts';
import { fillIn, formatLimit, formatMeasurement } from './describe-rules.ts';
import { fingerprint } from './fingerprint.ts';
import type { Entry } from './rule-book.ts';

export interface Mutes {
  readonly silencedBy: readonly string[];
  readonly inhibitedBy: readonly string[];
}

/** The labels of an entry's alert; labels of the rule override those of the series. */
export function labelsOf({ rule, instance }: Entry): Labels {
  return { ...instance.measured.labels, severity: rule.severity, ...rule.labels, alertname: rule.name };
}

const fingerprints = new WeakMap<object, string>();

/** Cached for the lifetime of the alert, since every reading of the alerts needs it. */
export function fingerprintOf(entry: Entry): string {
  const { labels } = entry.instance.measured;
  const known = fingerprints.get(labels);
  if (known) return known;
  const created = fingerprint(labelsOf(entry));
  fingerprints.set(labels, created);
  return created;
}

export function showAlert(entry: Entry, { silencedBy, inhibitedBy }: Mutes, cause: AlertPointer | undefined): Alert {
  const { rule, instance } = entry;
  const { measured: measurement, keptSinceEpochMs: _, ...known } = instance;
  const measured = formatMeasurement(rule.condition, measurement);
  const limitText = formatLimit(rule.condition);
  const fill = (text: string): string => fillIn(text, measurement.labels, { measured, limit: limitText });
  return {
    ...known,
    fingerprint: fingerprintOf(entry),
    name: rule.name,
    severity: rule.severity,
    labels: labelsOf(entry),
    annotations: { summary: fill(rule.summary), description: fill(rule.description) },
    value: measurement.value,
    limit: rule.condition.above,
    measured,
    limitText,
    silencedBy,
    inhibitedBy,
    ...(cause ? { cause } : {}),
  };
}
