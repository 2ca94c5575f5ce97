/** Owns how an alert looks to those outside the engine. */
import type { Alert, AlertPointer, Labels } from './alert.ts';
import { fillIn, sayLimit, sayMeasured } from './describe-rules.ts';
import { fingerprint } from './fingerprint.ts';
import type { Entry } from './rule-book.ts';

export interface Quiet {
  readonly silencedBy: readonly string[];
  readonly inhibitedBy: readonly string[];
}

/** What the alert of an entry is called: rules' own labels win over those of the series. */
export function labelsOf({ rule, instance }: Entry): Labels {
  return { ...instance.measured.labels, severity: rule.severity, ...rule.labels, alertname: rule.name };
}

const prints = new WeakMap<object, string>();

/** Remembered for as long as the alert is: it is asked for at every look. */
export function fingerprintOf(entry: Entry): string {
  const { labels } = entry.instance.measured;
  const known = prints.get(labels);
  if (known) return known;
  const print = fingerprint(labelsOf(entry));
  prints.set(labels, print);
  return print;
}

export function showAlert(entry: Entry, { silencedBy, inhibitedBy }: Quiet, cause: AlertPointer | undefined): Alert {
  const { rule, instance } = entry;
  const { measured: measurement, keptSinceEpochMs: _, ...known } = instance;
  const measured = sayMeasured(rule.condition, measurement);
  const limitText = sayLimit(rule.condition);
  const say = (text: string): string => fillIn(text, measurement.labels, { measured, limit: limitText });
  return {
    ...known,
    fingerprint: fingerprintOf(entry),
    name: rule.name,
    severity: rule.severity,
    labels: labelsOf(entry),
    annotations: { summary: say(rule.summary), description: say(rule.description) },
    value: measurement.value,
    limit: rule.condition.above,
    measured,
    limitText,
    silencedBy,
    inhibitedBy,
    ...(cause ? { cause } : {}),
  };
}
