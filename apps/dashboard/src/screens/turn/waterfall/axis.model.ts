/** Owns the time axis of a waterfall: what part of the turn is in the picture, how it is zoomed and moved. Pure. */
import type { TurnView } from '@holdfast/core/turn-view';

/** The part of the turn that is shown, in milliseconds since its begin. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Less than this is not zoomed into. */
const leastMs = 1;

/** Late work, and a deadline, this much behind the end are still in the picture; what is further out would make all else small. */
const nearBehind = 1.25;

/** What a turn fills: a finished one all of it, a running one up to a round time above now, so that bars grow instead of shrinking with every frame. */
export function wholeSpan({ durationMs, elapsedMs, timeoutMs, status }: TurnView): Span {
  if (status === 'completed') {
    const endMs = Math.max(leastMs, durationMs ?? elapsedMs);
    const near = [elapsedMs, timeoutMs ?? 0].filter((atMs) => atMs <= endMs * nearBehind);
    return { fromMs: 0, toMs: Math.max(endMs, ...near) };
  }
  return runningSpan(elapsedMs);
}

function runningSpan(endMs: number): Span {
  const atLeast = Math.max(endMs, 500);
  const magnitude = 10 ** Math.floor(Math.log10(atLeast));
  const round = [1, 1.5, 2, 3, 5, 7.5, 10].find((step) => step * magnitude >= atLeast) ?? 10;
  return { fromMs: 0, toMs: round * magnitude };
}

/** By `factor` (below 1: nearer) around a point that stays where it is. */
export function zoomed(span: Span, factor: number, aroundMs: number, whole: Span): Span {
  const length = span.toMs - span.fromMs;
  const next = Math.min(whole.toMs - whole.fromMs, Math.max(leastMs, length * factor));
  const share = length === 0 ? 0.5 : (aroundMs - span.fromMs) / length;
  return clampSpan({ fromMs: aroundMs - share * next, toMs: aroundMs + (1 - share) * next }, whole);
}

export function moveSpan(span: Span, byMs: number, whole: Span): Span {
  return clampSpan({ fromMs: span.fromMs + byMs, toMs: span.toMs + byMs }, whole);
}

/** Keeps its length as far as it fits. */
export function clampSpan({ fromMs, toMs }: Span, whole: Span): Span {
  const length = Math.min(whole.toMs - whole.fromMs, Math.max(leastMs, toMs - fromMs));
  const from = Math.min(Math.max(fromMs, whole.fromMs), whole.toMs - length);
  return { fromMs: from, toMs: from + length };
}

export const isWhole = (span: Span, whole: Span): boolean => span.fromMs <= whole.fromMs && span.toMs >= whole.toMs;

/** Where a point is drawn, in pixels. */
export const xOf = (span: Span, width: number, atMs: number): number => ((atMs - span.fromMs) / (span.toMs - span.fromMs)) * width;

/** Round points in time, at most one each `apart` pixels. */
export function ticks(span: Span, width: number, apart = 90): readonly number[] {
  const length = span.toMs - span.fromMs;
  const atLeast = (length / Math.max(1, width)) * apart;
  const magnitude = 10 ** Math.floor(Math.log10(atLeast));
  const step = ([1, 2, 5, 10].find((each) => each * magnitude >= atLeast) ?? 10) * magnitude;
  const marks: number[] = [];
  for (let at = Math.ceil(span.fromMs / step) * step; at <= span.toMs + step / 1e6; at += step) marks.push(Number(at.toPrecision(12)));
  return marks;
}

/** As in the address: `1200-3400`. */
export const spanText = ({ fromMs, toMs }: Span): string => `${Math.round(fromMs)}-${Math.round(toMs)}`;

export function spanOf(text: string | undefined, whole: Span): Span {
  const [, from, to] = /^(\d{1,12})-(\d{1,12})$/u.exec(text ?? '') ?? [];
  if (from === undefined || to === undefined || Number(to) <= Number(from)) return whole;
  return clampSpan({ fromMs: Number(from), toMs: Number(to) }, whole);
}
