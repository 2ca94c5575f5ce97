/** The time axis of a waterfall: the visible range, zooming and panning. */
import type { TurnView } from '@holdfast/core/turn-view';

/** The visible range of the turn, in milliseconds since its start. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The smallest visible range. */
const minLengthMs = 1;

/** Late work and a deadline are visible up to this factor of the duration. Beyond that, they would make everything else too small. */
const maxOverhang = 1.25;

/** The range of the whole turn. For a running turn it ends at a round time after now, so that bars grow instead of shrinking with every frame. */
export function wholeSpan({ durationMs, elapsedMs, timeoutMs, status }: TurnView): Span {
  if (status === 'completed') {
    const endMs = Math.max(minLengthMs, durationMs ?? elapsedMs);
    const near = [elapsedMs, timeoutMs ?? 0].filter((atMs) => atMs <= endMs * maxOverhang);
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

/** Zooms by `factor` (below 1: in) around a fixed point. */
export function zoomSpan(span: Span, factor: number, aroundMs: number, whole: Span): Span {
  const length = span.toMs - span.fromMs;
  const next = Math.min(whole.toMs - whole.fromMs, Math.max(minLengthMs, length * factor));
  const share = length === 0 ? 0.5 : (aroundMs - span.fromMs) / length;
  return clampSpan({ fromMs: aroundMs - share * next, toMs: aroundMs + (1 - share) * next }, whole);
}

export function moveSpan(span: Span, byMs: number, whole: Span): Span {
  return clampSpan({ fromMs: span.fromMs + byMs, toMs: span.toMs + byMs }, whole);
}

/** Keeps the length if it fits. */
export function clampSpan({ fromMs, toMs }: Span, whole: Span): Span {
  const length = Math.min(whole.toMs - whole.fromMs, Math.max(minLengthMs, toMs - fromMs));
  const from = Math.min(Math.max(fromMs, whole.fromMs), whole.toMs - length);
  return { fromMs: from, toMs: from + length };
}

export const isWhole = (span: Span, whole: Span): boolean => span.fromMs <= whole.fromMs && span.toMs >= whole.toMs;

/** The position of a time, in pixels. */
export const xOf = (span: Span, width: number, atMs: number): number => ((atMs - span.fromMs) / (span.toMs - span.fromMs)) * width;

/** Round times, at most one every `minGap` pixels. */
export function computeTicks(span: Span, width: number, minGap = 90): readonly number[] {
  const length = span.toMs - span.fromMs;
  const atLeast = (length / Math.max(1, width)) * minGap;
  const magnitude = 10 ** Math.floor(Math.log10(atLeast));
  const step = ([1, 2, 5, 10].find((each) => each * magnitude >= atLeast) ?? 10) * magnitude;
  const marks: number[] = [];
  for (let at = Math.ceil(span.fromMs / step) * step; at <= span.toMs + step / 1e6; at += step) marks.push(Number(at.toPrecision(12)));
  return marks;
}

/** The format in the URL: `1200-3400`. */
export const spanText = ({ fromMs, toMs }: Span): string => `${Math.round(fromMs)}-${Math.round(toMs)}`;

export function spanOf(text: string | undefined, whole: Span): Span {
  const [, from, to] = /^(\d{1,12})-(\d{1,12})$/u.exec(text ?? '') ?? [];
  if (from === undefined || to === undefined || Number(to) <= Number(from)) return whole;
  return clampSpan({ fromMs: Number(from), toMs: Number(to) }, whole);
}
