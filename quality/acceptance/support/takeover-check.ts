/**
 * Every turn that a test ran is run again, with fresh tools on a fresh clock: in the process, over a journal, and over a journal with the process killed after
 * each journal entry and another one taking over. All of them must give the same result.
 *
 * Left out, since they cannot be repeated separately: turns of services that made calls outside of turns, turns with tools that are not scripts, and turns that
 * ran concurrently. A process that takes over has the circuits of the dead one, as in a fleet that shares them.
 */
import type { AnyTool, System, TurnResult } from '@holdfast/core';
import { memoryStore, ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import type { DeathPoint, ManualSystem } from '@holdfast/core/testing';
import { manualSystem, memoryJournal } from '@holdfast/core/testing';
import type { JournaledService, TurnOfTest } from './journaled-service.ts';
import type { Comparison } from './same-turn.ts';
import { expectReadAgain, expectSameTurn } from './same-turn.ts';
import type { ScriptedTool } from './scripted-tool.ts';
import type { StageOptions } from './stage-options.ts';

export interface Staged {
  readonly service: JournaledService;
  readonly tools: readonly (ScriptedTool | AnyTool)[];
  readonly options: StageOptions;
}

interface World {
  readonly system: ManualSystem;
  /** A new process, with the circuits as the one before left them. */
  readonly open: (system: System) => Promise<ToolExecutionService>;
}

type RunTurn = (world: World, plan: TurnOfTest['plan'], index: number) => Promise<TurnResult>;

export async function expectTakeovers({ service, tools, options }: Staged): Promise<void> {
  const scripts = tools.filter((tool): tool is ScriptedTool => 'fresh' in tool);
  if (service.ranOtherCalls || scripts.length < tools.length || areSideBySide(service.turns)) return;
  const play = (run: RunTurn): Promise<readonly TurnResult[]> => playAll(service.turns, worldOf(scripts, options), run);

  const wanted = await play(async ({ open, system }, plan) => (await open(system)).executeTurn(plan));
  const points: DeathPoint[][] = service.turns.map(() => []);
  const undisturbed = await play(overJournal((point, turn) => (points[turn]?.push(point) ?? 0) < 0));
  for (const [turn, seen] of undisturbed.entries()) expectSameTurn(seen, wanted[turn] as TurnResult, { what: 'all', where: 'undisturbed' });

  for (const [killed, ofTurn] of points.entries()) {
    for (const { index, name } of ofTurn.filter(({ at }) => at === 'entry')) {
      const seen = await play(overJournal((point, turn) => turn === killed && point.index === index));
      const where = `turn ${killed + 1}, killed after the entry ${name}`;
      for (const [turn, result] of seen.entries())
        expectSameTurn(result, wanted[turn] as TurnResult, { what: common(wanted, name), where });
    }
  }
}

/** What runs have in common, one of which lost its process after that entry. */
function common(wanted: readonly TurnResult[], entry: string): Comparison['what'] {
  // Attempts that were running at the deadline are not made again: their progress is unknown.
  if (entry === 'deadline') return 'one_each';
  // A repeated attempt counts twice at the circuit, which opens earlier.
  const opened = wanted.some(({ trace }) => trace.some(({ event_type }) => event_type === 'CircuitBreakerOpened'));
  return opened ? 'answers' : 'but_times';
}

function areSideBySide(turns: readonly TurnOfTest[]): boolean {
  return turns.some(({ startedAt }, index) => startedAt < (turns[index - 1]?.endedAt() ?? 0));
}

function worldOf(scripts: readonly ScriptedTool[], options: StageOptions): World {
  const system = manualSystem();
  const tools = scripts.map(({ fresh }) => fresh(system).tool);
  const store = memoryStore();
  let last: ToolExecutionService | undefined;
  return {
    system,
    async open(own) {
      await last?.close();
      last = new ToolExecutionService({ seed: 'acceptance', ...options, tools, store, system: own });
      await last.restore();
      return last;
    },
  };
}

async function playAll(turns: readonly TurnOfTest[], world: World, run: RunTurn): Promise<readonly TurnResult[]> {
  const results: TurnResult[] = [];
  for (const [index, { plan, startedAt }] of turns.entries()) {
    await world.system.advance(startedAt - world.system.now());
    results.push(await world.system.until(run(world, plan, index)));
  }
  return results;
}

function overJournal(dies: (point: DeathPoint, turn: number) => boolean): RunTurn {
  return async ({ system, open }, plan, turn) => {
    const journal = memoryJournal({ system, dies: (point) => dies(point, turn) });
    const start = async (service: ToolExecutionService, own: Parameters<Parameters<typeof journal.run>[0]>[0]) =>
      runJournaledTurn({ service, turnId: plan.turnId, plan, journal: own.journal });
    const result = await journal.run(async (process) => start(await open(process.system), process));
    const again = await journal.run(async (process) => start(await open(process.system), process));
    expectReadAgain(again, result);
    return result;
  };
}
