import type { AnyTool, System, TurnPlan } from '@holdfast/core';
import { defineTool, ref, ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import { manualSystem, memoryJournal } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';

type MakeTools = (system: System, log: string[]) => readonly AnyTool[];

const wait = (system: System, milliseconds: number): Promise<void> => new Promise((resolve) => void system.setTimer(milliseconds, resolve));

const diamond: TurnPlan = {
  calls: [
    { callId: 'A', toolName: 'first' },
    { callId: 'B', toolName: 'quick', arguments: { of: ref('A') } },
    { callId: 'C', toolName: 'slow', arguments: { of: ref('A') } },
    { callId: 'D', toolName: 'shaky', arguments: { of: ref('A') } },
    { callId: 'E', toolName: 'last', arguments: { b: ref('B'), c: ref('C'), d: ref('D') } },
  ],
};

const diamondTools: MakeTools = (system, log) => {
  let shaky = 0;
  const tool = (name: string, run: () => Promise<unknown>): AnyTool =>
    defineTool({
      name,
      async run() {
        log.push(name);
        return await run();
      },
    });
  return [
    tool('first', async () => 'a'),
    tool('quick', async () => (await wait(system, 10), 'b')),
    tool('slow', async () => (await wait(system, 500), 'c')),
    tool('shaky', async () => {
      await wait(system, 20);
      if ((shaky += 1) === 1 && !log.includes('shaky failed')) {
        log.push('shaky failed');
        throw new Error('ECONNRESET');
      }
      return 'd';
    }),
    tool('last', async () => ({ done: true })),
  ];
};

async function inProcess(makeTools: MakeTools, plan: TurnPlan) {
  const system = manualSystem();
  const log: string[] = [];
  const service = new ToolExecutionService({ tools: makeTools(system, log), system, seed: 's' });
  const turn = await system.until(service.executeTurn({ turnId: 't', ...plan }));
  return { turn, log };
}

async function journaled(makeTools: MakeTools, plan: TurnPlan, dies?: NonNullable<Parameters<typeof memoryJournal>[0]['dies']>) {
  const system = manualSystem();
  const log: string[] = [];
  const journal = memoryJournal({ system, ...(dies ? { dies } : {}) });
  const turn = await system.until(
    journal.run((process) => {
      const service = new ToolExecutionService({ tools: makeTools(process.system, log), system: process.system, seed: 's' });
      return runJournaledTurn({ service, turnId: 't', plan, journal: process.journal });
    }),
  );
  return { turn, log, journal };
}

const bare = (events: readonly object[]) =>
  JSON.parse(JSON.stringify(events, (key, value: unknown) => (['execution_id', 'timestamp'].includes(key) ? undefined : value)));

describe('a journaled turn', () => {
  test('comes to the same results and tells the same as in process', async () => {
    const expected = await inProcess(diamondTools, diamond);
    const { turn, log, journal } = await journaled(diamondTools, diamond);
    expect(turn.outcome).toBe('success');
    expect(turn.results).toEqual(expected.turn.results);
    expect(log).toEqual(expected.log);
    expect(bare(turn.trace)).toEqual(bare(expected.turn.trace));
    console.log(journal.entries.map((e) => ('text' in e ? `${e.name} ${e.text.length}` : e.type)));
  });

  test('every moment of death', async () => {
    const expected = await inProcess(diamondTools, diamond);
    let index = 0;
    for (; index < 500; index++) {
      const { turn, log, journal } = await journaled(diamondTools, diamond, (point) => point.index === index);
      if (journal.deaths === 0) break;
      if (turn.results.some(({ status }) => status !== 'success'))
          '/tmp/hf/death.json',
          JSON.stringify(
            turn.trace.filter((e: any) => e.call_id === 'D'),
            null,
            1,
          ) +
            '\n' +
            JSON.stringify([log, journal.commands, journal.entries], null, 1),
        );
      expect(
        turn.results.map(({ status, output }) => [status, output]),
        `death at ${index}`,
      ).toEqual(expected.turn.results.map(({ status, output }) => [status, output]));
      expect(turn.trace.map(({ seq }) => seq)).toEqual(turn.trace.map((_, at) => at + 1));
      expect(log.length).toBeLessThan(12);
    }
    expect(index).toBeGreaterThan(10);
  });
});
