/**
 * Owns the recent past of every tool in memory: counts in steps of five seconds and latencies in steps of thirty, over five minutes.
 *
 * Invariants
 * 1. Bounded: a fixed number of steps per tool, a fixed number of tools.
 * 2. Results never include anything older than five minutes. Time is an argument.
 */
import { createLatencySketch, type LatencySketch } from '../metrics/sketch.ts';
import { BoundedMap } from './bounded-map.ts';
import { addCounts, type CellCounts, type CellNumber, emptyCounts } from './cell.ts';

/** Length of one step of the recent past, in milliseconds. */
export const recentStepMs = 5_000;
/** How far back the recent past goes, in milliseconds. */
export const recentMs = 300_000;
const steps = recentMs / recentStepMs;
const sketchMs = 30_000;
const sketches = recentMs / sketchMs;

interface Step {
  number: number;
  counts: CellCounts;
}

interface SketchStep {
  number: number;
  sketch: LatencySketch;
}

interface ToolPast {
  /** Ring buffer, indexed by step number modulo its length. */
  readonly steps: (Step | undefined)[];
  readonly sketches: (SketchStep | undefined)[];
}

export class RecentCalls {
  readonly #tools: BoundedMap<ToolPast>;

  constructor(maxTools: number) {
    this.#tools = new BoundedMap(maxTools);
  }

  add(tool: string, at: number, name: CellNumber, count: number): void {
    const number = Math.floor(at / recentStepMs);
    const past = this.#pastOf(tool);
    const place = number % steps;
    let step = past.steps[place];
    if (!step || step.number !== number) {
      // A newer step uses this slot: the event is more than five minutes late.
      if (step && step.number > number) return;
      step = { number, counts: emptyCounts() };
      past.steps[place] = step;
    }
    step.counts[name] += count;
  }

  addLatency(tool: string, at: number, durationMs: number): void {
    const number = Math.floor(at / sketchMs);
    const past = this.#pastOf(tool);
    const place = number % sketches;
    let step = past.sketches[place];
    if (!step || step.number !== number) {
      if (step && step.number > number) return;
      step = { number, sketch: createLatencySketch() };
      past.sketches[place] = step;
    }
    step.sketch.add(durationMs);
  }

  /** Counts of the last five minutes, including the current step. */
  countsOf(tool: string, now: number): CellCounts {
    const total = emptyCounts();
    const latest = Math.floor(now / recentStepMs);
    for (const step of this.#tools.get(tool)?.steps ?? []) if (step && step.number > latest - steps) addCounts(total, step.counts);
    return total;
  }

  latenciesOf(tool: string, now: number): LatencySketch {
    const total = createLatencySketch();
    const latest = Math.floor(now / sketchMs);
    for (const step of this.#tools.get(tool)?.sketches ?? []) if (step && step.number > latest - sketches) total.merge(step.sketch);
    return total;
  }

  /** Counts of the last steps, oldest first; `undefined` for a step without events. */
  lastSteps(tool: string, now: number, count: number): readonly (CellCounts | undefined)[] {
    const latest = Math.floor(now / recentStepMs);
    const past = this.#tools.get(tool);
    return Array.from({ length: count }, (_, index) => {
      const number = latest - count + 1 + index;
      const step = past?.steps[number % steps];
      return step?.number === number ? step.counts : undefined;
    });
  }

  #pastOf(tool: string): ToolPast {
    return this.#tools.get(tool) ?? this.#tools.touch(tool, () => ({ steps: [], sketches: [] }));
  }
}
