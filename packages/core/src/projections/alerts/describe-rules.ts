/** Owns how rules and what they measure are said in words. */
import type { Labels } from './alert.ts';
import type { Measurement } from './measure.ts';
import type { AlertCondition, AlertRule } from './rule.ts';
import { DEVIATIONS_95, wilsonInterval } from './wilson.ts';

/** `3 of 20 (15 %, 95 % CI 5.2-36 %)`, `6.6 s over 20`, `2`. */
export function sayMeasured(condition: AlertCondition, { value, part = 0, volume = 0, beside }: Measurement): string {
  switch (condition.kind) {
    case 'ratio':
      return `${whole(part)} of ${whole(volume)} (${share(value)}${interval(condition.deviations, part, volume)})`;
    case 'mean':
      return `${seconds(value)} over ${whole(volume)}${beside === undefined || !condition.beside ? '' : ` (${condition.beside.what}: ${seconds(beside)})`}`;
    case 'increase':
    case 'value':
      return whole(value);
  }
}

export function sayLimit({ kind, above }: AlertCondition): string {
  if (kind === 'ratio') return share(above);
  return kind === 'mean' ? seconds(above) : String(above);
}

/** The condition in a sentence: `more than 5 % of calls are failed calls over 5 minutes, with at least 20 of them and 95 % confidence; ends below 3 %`. */
export function sayCondition({ condition, windowMs = 0, forMs = 0 }: AlertRule): string {
  const over = ` within ${sayTime(windowMs)}`;
  const held = forMs > 0 ? `, for ${sayTime(forMs)}` : '';
  switch (condition.kind) {
    case 'ratio': {
      const sure = condition.deviations ? [`${sayConfidence(condition.deviations)} confidence`] : [];
      const what = `more than ${sayLimit(condition)} of ${condition.whole.what} are ${condition.part.what}${over}`;
      return `${what}${least(condition.minimumVolume, sure)}${held}${ends(condition)}`;
    }
    case 'mean':
      return `the mean time of ${condition.of.what} is above ${sayLimit(condition)}${over}${least(condition.minimumVolume, [])}${held}${ends(condition)}`;
    case 'increase':
      return `${several(condition.above)} ${condition.of.what}${over}${held}`;
    case 'value':
      return `${several(condition.above)} ${condition.of.what}${held}`;
  }
}

/** A rule's text with its labels and numbers filled in; what is not known stays as it is. */
export function fillIn(text: string, labels: Labels, numbers: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => ownText(numbers, name) ?? ownText(labels, name) ?? placeholder);
}

const ownText = (texts: Labels, name: string): string | undefined => (Object.hasOwn(texts, name) ? texts[name] : undefined);

/** `5 minutes`, `30 seconds`, `1 hour`. */
function sayTime(milliseconds: number): string {
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

const several = (above: number): string => (above === 0 ? 'any' : `more than ${above}`);

function least(minimumVolume: number | undefined, also: readonly string[]): string {
  const parts = [...(minimumVolume ? [`at least ${minimumVolume} of them`] : []), ...also];
  return parts.length > 0 ? `, with ${parts.join(' and ')}` : '';
}

function ends(condition: Extract<AlertCondition, { kind: 'ratio' | 'mean' }>): string {
  return condition.clearBelow === undefined ? '' : `; ends at ${sayLimit({ ...condition, above: condition.clearBelow })}`;
}

function interval(deviations: number | undefined, part: number, volume: number): string {
  if (!deviations) return '';
  const { lower, upper } = wilsonInterval(part, volume, deviations);
  return `, ${sayConfidence(deviations)} CI ${rough(lower)}-${rough(upper)} %`;
}

const sayConfidence = (deviations: number): string => (deviations === DEVIATIONS_95 ? '95 %' : `${deviations} σ`);

/** Counts that were extrapolated are no whole numbers; what is read as a count should be one. */
const whole = (count: number): string => String(Math.round(count));

/** Two digits: an interval is no exact thing. */
const rough = (value: number): string => String(Number((value * 100).toPrecision(2)));

const share = (value: number): string => `${Number((value * 100).toPrecision(3))} %`;

const seconds = (value: number): string => `${Number(value.toPrecision(3))} s`;
