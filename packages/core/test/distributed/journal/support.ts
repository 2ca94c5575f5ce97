/** Runs a plan in process, and on a journal whose processes die where a test decides, with a manual clock. */
import type { AnyTool, StandardSchema, System, ToolExecutionServiceOptions, TraceEvent, TurnPlan, TurnResult } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import type { JournalProcess, ManualSystem, MemoryJournal, MemoryJournalOptions } from '@holdfast/core/testing';
import { manualSystem, memoryJournal } from '@holdfast/core/testing';

/** The runs of the tools in all processes, as seen by an external service. */
interface World {
  /** The tool names of all started runs. */
  readonly begun: string[];
  /** The tool names of all finished runs, with their idempotency keys. */
  readonly done: string[];
}

export type MakeTools = (system: System, world: World, process: number) => readonly AnyTool[];

export interface Scene {
  readonly tools: MakeTools;
  readonly plan: TurnPlan;
  readonly options?: Partial<ToolExecutionServiceOptions>;
}

export interface Run {
  readonly turn: TurnResult;
  readonly world: World;
}

export const wait = (system: System, milliseconds: number): Promise<void> =>
  new Promise((resolve) => void system.setTimer(milliseconds, resolve));

export async function runInProcess({ tools, plan, options }: Scene): Promise<Run> {
  const system = manualSystem();
  const world: World = { begun: [], done: [] };
  const service = new ToolExecutionService({ seed: 'seed', ...options, tools: tools(system, world, 1), system });
  return { turn: await system.until(service.executeTurn({ turnId: 'turn', ...plan })), world };
}

export interface JournaledRun extends Run {
  readonly system: ManualSystem;
  readonly journal: MemoryJournal;
  /** The services of the processes, in order. */
  readonly services: readonly ToolExecutionService[];
  /** The events in the stores of all processes, in order. */
  readonly stored: readonly TraceEvent[];
  /** The events of the listeners of all processes. */
  readonly received: readonly TraceEvent[];
}

export interface JournaledRunOptions extends Omit<MemoryJournalOptions, 'system'> {
  /** Cancels the turn after this time. */
  readonly cancelAfterMs?: number;
  /** Kills the running process after this time. */
  readonly dieAfterMs?: number;
  /** Runs in each process before the turn. */
  readonly before?: (service: ToolExecutionService, process: JournalProcess) => Promise<unknown>;
}

export async function runJournaled(
  { tools, plan, options }: Scene,
  { cancelAfterMs, dieAfterMs, before, ...journaling }: JournaledRunOptions = {},
): Promise<JournaledRun> {
  const system = manualSystem();
  const world: World = { begun: [], done: [] };
  const stored: TraceEvent[] = [];
  const received: TraceEvent[] = [];
  const services: ToolExecutionService[] = [];
  const journal = memoryJournal({ system, ...journaling });
  if (cancelAfterMs !== undefined) system.setTimer(cancelAfterMs, () => journal.cancel('enough'));
  if (dieAfterMs !== undefined) system.setTimer(dieAfterMs, () => journal.kill());
  const turn = await system.until(
    journal.run((process) => {
      const service = new ToolExecutionService({
        seed: 'seed',
        ...options,
        tools: tools(process.system, world, process.number),
        system: process.system,
        store: collectingStore(stored),
      });
      services.push(service);
      const run = (): Promise<TurnResult> => {
        service.subscribe((event) => void received.push(event));
        return runJournaledTurn({ service, turnId: 'turn', plan, journal: process.journal });
      };
      return before ? before(service, process).then(run) : run();
    }),
  );
  await system.settle();
  return { turn, world, system, journal, services, stored, received };
}

/** Runs the scene once per point of death, and returns the number of points. */
export async function runEveryDeath(
  scene: Scene,
  check: (run: JournaledRun, index: number) => void,
  options: JournaledRunOptions = {},
): Promise<number> {
  for (let index = 0; ; index++) {
    const run = await runJournaled(scene, { ...options, dies: (point) => point.index === index });
    if (run.journal.deaths === 0) return index;
    check(run, index);
  }
}

/** The events without the fields that differ between processes and runs. */
export function comparable(events: readonly object[]): readonly Record<string, unknown>[] {
  const text = JSON.stringify(events, (key, value: unknown) => (key === 'execution_id' || key === 'timestamp' ? undefined : value));
  return JSON.parse(text) as readonly Record<string, unknown>[];
}

/** The outcomes of the calls. */
export const outcomes = ({ results }: TurnResult): readonly unknown[] =>
  results.map(({ callId, status, output, error, servedBy }) => [callId, status, output, error?.code, servedBy]);

/** A store that collects its events. */
export function collectingStore(stored: TraceEvent[]): NonNullable<ToolExecutionServiceOptions['store']> {
  const nothing = Promise.resolve();
  return {
    append: (events) => void stored.push(...events),
    flush: () => nothing,
    close: () => nothing,
    status: () => ({ ok: true, dropped: 0 }),
    readTurn: () => Promise.resolve(undefined),
    listTurns: () => Promise.resolve([]),
    readEvents: async function* () {
      // It has no events to read.
    },
    saveCircuits() {
      // Circuits are not needed here.
    },
    loadCircuits: () => Promise.resolve(new Map()),
    addMemory() {
      // Nor is memory.
    },
    loadMemory: () => Promise.resolve([]),
  };
}

/** An asynchronous schema. */
export function slowSchema(system: System, milliseconds: number, valid = true): StandardSchema<unknown, unknown> {
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      async validate(value: unknown) {
        await wait(system, milliseconds);
        return valid ? { value } : { issues: [{ message: 'no' }] };
      },
    },
  };
}
