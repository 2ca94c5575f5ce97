/** Owns the text form of rules and of their measurements. */
import { checkRules } from './check-rules.ts';
import type { Labels } from './alert.ts';
import type { Measurement } from './measure.ts';
import type { AlertCondition, AlertRule } from './rule.ts';
import { DEVIATIONS_95, wilsonInterval } from './wilson.ts';

/** `3 of 20 (15 %, 95 % CI 5.2-36 %)`, `6.6 s over 20`, `2`. */
export function formatMeasurement(condition: AlertCondition, { value, part = 0, volume = 0, beside }: Measurement): string {
  switch (condition.kind) {
    case 'ratio':
      return `${formatCount(part)} of ${formatCount(volume)} (${formatShare(value)}${formatInterval(condition.deviations, part, volume)})`;
    case 'mean':
      return `${formatSeconds(value)} over ${formatCount(volume)}${beside === undefined || !condition.beside ? '' : ` (${condition.beside.what}: ${formatSeconds(beside)})`}`;
    case 'increase':
    case 'value':
      return formatCount(value);
  }
}

export function formatLimit({ kind, above }: AlertCondition): string {
  if (kind === 'ratio') return formatShare(above);
  return kind === 'mean' ? formatSeconds(above) : String(above);
}

/** Describes a condition: `more than 5 % of calls are failed calls within 5 minutes, with at least 20 of them and 95 % confidence, for 30 seconds; ends at 3 %`. */
export function describeCondition(rule: AlertRule): string {
  checkRules([rule], 'describeCondition');
  const { condition, windowMs = 0, forMs = 0 } = rule;
  const over = ` within ${formatDuration(windowMs)}`;
  const held = forMs > 0 ? `, for ${formatDuration(forMs)}` : '';
  switch (condition.kind) {
    case 'ratio': {
      const confidence = condition.deviations ? [`${formatConfidence(condition.deviations)} confidence`] : [];
      const what = `more than ${formatLimit(condition)} of ${condition.whole.what} are ${condition.part.what}${over}`;
      return `${what}${formatRequirements(condition.minimumVolume, confidence)}${held}${formatClearLimit(condition)}`;
    }
    case 'mean':
      return `the mean time of ${condition.of.what} is above ${formatLimit(condition)}${over}${formatRequirements(condition.minimumVolume, [])}${held}${formatClearLimit(condition)}`;
    case 'increase':
      return `${formatThreshold(condition.above)} ${condition.of.what}${over}${held}`;
    case 'value':
      return `${formatThreshold(condition.above)} ${condition.of.what}${held}`;
  }
}

/** Fills a rule's placeholders with its labels and numbers; unknown placeholders stay. */
export function fillIn(text: string, labels: Labels, numbers: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => ownValue(numbers, name) ?? ownValue(labels, name) ?? placeholder);
}

const ownValue = (texts: Labels, name: string): string | undefined => (Object.hasOwn(texts, name) ? texts[name] : undefined);

/** `5 minutes`, `30 seconds`, `1 hour`. */
function formatDuration(milliseconds: number): string {
  const units: readonly (readonly [number, string])[] = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1_000, 'second'],
  ];
  const [size, name] = units.find(([each]) => milliseconds >= each && milliseconds % each === 0) ?? [1, 'millisecond'];
  const count = milliseconds / size;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

const formatThreshold = (above: number): string => (above === 0 ? 'any' : `more than ${above}`);

function formatRequirements(minimumVolume: number | undefined, also: readonly string[]): string {
  const parts = [...(minimumVolume ? [`at least ${minimumVolume} of them`] : []), ...also];
  return parts.length > 0 ? `, with ${parts.join(' and ')}` : '';
}

function formatClearLimit(condition: Extract<AlertCondition, { kind: 'ratio' | 'mean' }>): string {
  return condition.clearBelow === undefined ? '' : `; ends at ${formatLimit({ ...condition, above: condition.clearBelow })}`;
}

function formatInterval(deviations: number | undefined, part: number, volume: number): string {
  if (!deviations) return '';
  const { lower, upper } = wilsonInterval(part, volume, deviations);
  return `, ${formatConfidence(deviations)} CI ${formatPercent(lower)}-${formatPercent(upper)} %`;
}

const formatConfidence = (deviations: number): string => (deviations === DEVIATIONS_95 ? '95 %' : `${deviations} σ`);

/** Rounds a count, which extrapolation may have made fractional. */
const formatCount = (count: number): string => String(Math.round(count));

/** Two significant digits: the bounds of an interval are not exact. */
const formatPercent = (value: number): string => String(Number((value * 100).toPrecision(2)));

const formatShare = (value: number): string => `${Number((value * 100).toPrecision(3))} %`;

const formatSeconds = (value: number): string => `${Number(value.toPrecision(3))} s`;
