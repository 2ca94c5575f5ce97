/** Owns when faults happen in one run: random values of the world, drawn from the seed. */
import type { FaultWindow } from '../metrics/metrics.ts';
import type { ColdCache, Drawn, WorldFault, WorldFaultKind } from './fault.ts';
import type { Stream } from './streams.ts';
import { createStream } from './streams.ts';
import type { World } from './world.ts';

/** Steps in which capacity returns, unless the fault says otherwise. */
const STEPS = 20;

/** A fault of one service, as drawn. */
export interface ScheduledFault {
  readonly kind: WorldFaultKind;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly recoverOverMs: number;
  readonly recoverSteps: number;
  readonly coldCache: ColdCache | undefined;
  /** When it is active within its time; all of it, except for flapping. Ascending, disjoint. */
  readonly down: readonly Span[];
}

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Schedule {
  readonly windows: readonly FaultWindow[];
  readonly faultsOf: (service: string) => readonly ScheduledFault[];
  /** Whether any fault is active then. */
  readonly isFaulty: (time: number) => boolean;
  /** The end of the last fault; `undefined` if there is none. */
  readonly endsAt: number | undefined;
}

export function drawSchedule(world: World, seed: string): Schedule {
  const stream = createStream(seed, 'faults');
  const drawn = world.faults.map((fault, index) => ({ fault, scheduled: schedule(fault, index, stream) }));
  const windows = drawn.map(({ fault, scheduled: { fromMs, untilMs } }) => ({
    kind: fault.kind,
    of: fault.service ?? fault.host ?? '',
    fromMs,
    untilMs,
  }));
  const spans = merge(windows);
  return {
    windows,
    faultsOf: (name) => drawn.filter(({ fault }) => hits(fault, name, world)).map(({ scheduled }) => scheduled),
    isFaulty: (time) => spans.some(({ fromMs, untilMs }) => time >= fromMs && time < untilMs),
    endsAt: spans.at(-1)?.untilMs,
  };
}

function hits({ service, host }: WorldFault, name: string, { services }: World): boolean {
  return service === name || (host !== undefined && services[name]?.host === host);
}

function schedule(fault: WorldFault, index: number, stream: Stream): ScheduledFault {
  const { recoverOverMs = 0, recoverSteps = STEPS, coldCache } = fault;
  const fromMs = pick(fault.fromMs, stream(index, 0));
  const untilMs = fromMs + pick(fault.forMs, stream(index, 1));
  const down = fault.kind === 'flapping' ? flaps(fault, { fromMs, untilMs }, (nth) => stream(index, 2 + nth)) : [{ fromMs, untilMs }];
  return { kind: fault, fromMs, untilMs, recoverOverMs, recoverSteps, coldCache, down };
}

function flaps(
  { downMs, upMs }: Extract<WorldFaultKind, { kind: 'flapping' }>,
  within: Span,
  draw: (nth: number) => number,
): readonly Span[] {
  const spans: Span[] = [];
  let time = within.fromMs;
  for (let nth = 0; time < within.untilMs; nth += 2) {
    const untilMs = Math.min(time + pick(downMs, draw(nth)), within.untilMs);
    spans.push({ fromMs: time, untilMs });
    time = untilMs + pick(upMs, draw(nth + 1));
  }
  return spans;
}

function pick(drawn: Drawn, draw: number): number {
  return typeof drawn === 'number' ? drawn : drawn[0] + draw * (drawn[1] - drawn[0]);
}

function merge(windows: readonly Span[]): readonly Span[] {
  const spans: Span[] = [];
  for (const { fromMs, untilMs } of windows.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = spans.at(-1);
    if (last && fromMs <= last.untilMs) spans[spans.length - 1] = { fromMs: last.fromMs, untilMs: Math.max(last.untilMs, untilMs) };
    else spans.push({ fromMs, untilMs });
  }
  return spans;
}
