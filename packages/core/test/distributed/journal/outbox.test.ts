/** The outputs of a turn wait until the inputs that they follow from are journaled; a slow journal makes this visible. */
import type { TraceEvent } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import { manualSystem } from '@holdfast/core/testing';
import { expect, test } from 'vitest';
import { manualJournal } from './manual-journal.ts';
import { one, scripted } from './scenes.ts';
import { collectingStore } from './support.ts';

test('a turn that has ended stores its events and resolves only once its inputs are journaled', async () => {
  const system = manualSystem();
  const stored: TraceEvent[] = [];
  const tools = scripted({ main: {} })(system, { begun: [], done: [] }, 1);
  const service = new ToolExecutionService({ tools, system, store: collectingStore(stored) });
  const received: string[] = [];
  service.subscribe(({ event_type }) => void received.push(event_type));
  const journal = manualJournal();
  let resolved = false;
  const turn = runJournaledTurn({ service, turnId: 'turn', plan: one('main'), journal });
  void turn.then(() => {
    resolved = true;
  });

  const attempt = journal.begin('A#1');
  const start = await journal.begin('start');
  const end = await attempt;
  await system.settle();
  expect(received.at(-1)).toBe('TurnCompleted');
  expect(stored).toEqual([]);

  journal.deliver(start);
  await system.settle();
  const storedTypes = stored.map(({ event_type }) => event_type);
  expect(storedTypes.at(0)).toBe('TurnStarted');
  expect(received.slice(0, storedTypes.length)).toEqual(storedTypes);
  expect(storedTypes).not.toContain('ToolCallSucceeded');
  expect(storedTypes.length).toBeLessThan(received.length - 1);
  expect(resolved).toBe(false);

  journal.deliver(end);
  await system.settle();
  expect(resolved).toBe(true);
  expect(stored).toEqual((await turn).trace);
});

test('after a slow start of the journal the timer has the remaining time, and late events are stored', async () => {
  const system = manualSystem();
  const stored: TraceEvent[] = [];
  const tools = scripted({ main: { takes: 100 }, slow: { takes: 1_500 } })(system, { begun: [], done: [] }, 1);
  const service = new ToolExecutionService({ tools, system, store: collectingStore(stored) });
  const received: TraceEvent[] = [];
  service.subscribe((event) => void received.push(event));
  const journal = manualJournal();
  const calls = ['main', 'slow'].map((toolName) => ({ callId: toolName, toolName }));
  const turn = runJournaledTurn({ service, turnId: 'turn', plan: { timeoutMs: 1_000, calls }, journal });
  const attempt = journal.begin('main#1');
  void journal.begin('slow#1');
  const start = await journal.begin('start');
  await system.advance(200);
  journal.deliver(start);
  journal.deliver(await attempt);
  await system.settle();
  expect(journal.delays).toEqual(new Map([['deadline', 900]]));

  await system.advance(800);
  journal.deliver({ type: 'timer', name: 'deadline' });
  await system.settle();
  const deadline = await journal.begin('deadline');
  await system.advance(1_000);
  expect(received.at(-1)?.event_type).not.toBe('TurnCompleted');
  expect(stored.map(({ event_type }) => event_type)).not.toContain('TurnCompleted');
  journal.deliver(deadline);
  expect(await turn).toMatchObject({ outcome: 'deadline', executionTime: 1_000 });
  await system.settle();
  expect(stored).toEqual(received);
});
