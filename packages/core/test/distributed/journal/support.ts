/** A plan run in process and over a journal whose processes die where a test says, on a clock that is moved by hand. */
import type { AnyTool, StandardSchema, System, ToolExecutionServiceOptions, TraceEvent, TurnPlan, TurnResult } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import type { JournalProcess, ManualSystem, MemoryJournal, MemoryJournalOptions } from '@holdfast/core/testing';
import { manualSystem, memoryJournal } from '@holdfast/core/testing';

/** What the tools of all processes have done, as a service outside would know it. */
interface World {
  /** The name of a tool for each time that it was begun. */
  readonly begun: string[];
  /** The same, with the idempotency key, for each time that it came to its end. */
  readonly done: string[];
}

export type MakeTools = (system: System, world: World, process: number) => readonly AnyTool[];

export interface Scene {
  readonly tools: MakeTools;
  readonly plan: TurnPlan;
  readonly options?: Partial<ToolExecutionServiceOptions>;
}

export interface Played {
  readonly turn: TurnResult;
  readonly world: World;
}

export const wait = (system: System, milliseconds: number): Promise<void> =>
  new Promise((resolve) => void system.setTimer(milliseconds, resolve));

export async function playInProcess({ tools, plan, options }: Scene): Promise<Played> {
  const system = manualSystem();
  const world: World = { begun: [], done: [] };
  const service = new ToolExecutionService({ seed: 'seed', ...options, tools: tools(system, world, 1), system });
  return { turn: await system.until(service.executeTurn({ turnId: 'turn', ...plan })), world };
}

export interface PlayedJournaled extends Played {
  readonly system: ManualSystem;
  readonly journal: MemoryJournal;
  /** Of each process, in order. */
  readonly services: readonly ToolExecutionService[];
  /** What the stores of all processes were handed, in order. */
  readonly kept: readonly TraceEvent[];
  /** What the listeners of all processes heard. */
  readonly heard: readonly TraceEvent[];
}

export interface JournaledPlay extends Omit<MemoryJournalOptions, 'system'> {
  /** Asks for the turn's end after that. */
  readonly cancelAfterMs?: number;
  /** Kills the process that works after that. */
  readonly dieAfterMs?: number;
  /** What a process has done before it works for the turn. */
  readonly before?: (service: ToolExecutionService, process: JournalProcess) => Promise<unknown>;
}

export async function playJournaled(
  { tools, plan, options }: Scene,
  { cancelAfterMs, dieAfterMs, before, ...journaling }: JournaledPlay = {},
): Promise<PlayedJournaled> {
  const system = manualSystem();
  const world: World = { begun: [], done: [] };
  const kept: TraceEvent[] = [];
  const heard: TraceEvent[] = [];
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
        store: keeping(kept),
      });
      services.push(service);
      const run = (): Promise<TurnResult> => {
        service.subscribe((event) => void heard.push(event));
        return runJournaledTurn({ service, turnId: 'turn', plan, journal: process.journal });
      };
      return before ? before(service, process).then(run) : run();
    }),
  );
  await system.settle();
  return { turn, world, system, journal, services, kept, heard };
}

/** Kills the process at every point there is, one run each; the last answer is of the run without a death. */
export async function playEveryDeath(
  scene: Scene,
  check: (played: PlayedJournaled, index: number) => void,
  play: JournaledPlay = {},
): Promise<number> {
  for (let index = 0; ; index++) {
    const played = await playJournaled(scene, { ...play, dies: (point) => point.index === index });
    if (played.journal.deaths === 0) return index;
    check(played, index);
  }
}

/** What is the same in every process and run. */
export function bare(events: readonly object[]): readonly Record<string, unknown>[] {
  const text = JSON.stringify(events, (key, value: unknown) => (key === 'execution_id' || key === 'timestamp' ? undefined : value));
  return JSON.parse(text) as readonly Record<string, unknown>[];
}

/** What became of the calls. */
export const ends = ({ results }: TurnResult): readonly unknown[] =>
  results.map(({ callId, status, output, error, servedBy }) => [callId, status, output, error?.code, servedBy]);

/** A store that writes down what it is handed. */
export function keeping(kept: TraceEvent[]): NonNullable<ToolExecutionServiceOptions['store']> {
  const nothing = Promise.resolve();
  return {
    append: (events) => void kept.push(...events),
    flush: () => nothing,
    close: () => nothing,
    status: () => ({ ok: true, dropped: 0 }),
    readTurn: () => Promise.resolve(undefined),
    listTurns: () => Promise.resolve([]),
    readEvents: async function* () {
      // It has none to show.
    },
    saveCircuits() {
      // Not wanted here.
    },
    loadCircuits: () => Promise.resolve(new Map()),
  };
}

/** Answers after some time. */
export function slowSchema(system: System, milliseconds: number, fits = true): StandardSchema<unknown, unknown> {
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      async validate(value: unknown) {
        await wait(system, milliseconds);
        return fits ? { value } : { issues: [{ message: 'no' }] };
      },
    },
  };
}
