/** Nothing leaves a turn before its journal has what it follows from: a journal that keeps the turn waiting shows what has left. */
import type { TraceEvent } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import { runJournaledTurn } from '@holdfast/core/journal';
import { manualSystem } from '@holdfast/core/testing';
import { expect, test } from 'vitest';
import { handJournal } from './hand-journal.ts';
import { one, scripted } from './scenes.ts';
import { keeping } from './support.ts';

test('a turn that has come to its end keeps nothing and answers nothing until the journal knows why', async () => {
  const system = manualSystem();
  const kept: TraceEvent[] = [];
  const tools = scripted({ main: {} })(system, { begun: [], done: [] }, 1);
  const service = new ToolExecutionService({ tools, system, store: keeping(kept) });
  const heard: string[] = [];
  service.subscribe(({ event_type }) => void heard.push(event_type));
  const journal = handJournal();
  let answered = false;
  const turn = runJournaledTurn({ service, turnId: 'turn', plan: one('main'), journal });
  void turn.then(() => {
    answered = true;
  });

  const attempt = journal.begin('A#1');
  const start = await journal.begin('start');
  const end = await attempt;
  await system.settle();
  expect(heard.at(-1)).toBe('TurnCompleted');
  expect(kept).toEqual([]);

  journal.give(start);
  await system.settle();
  const known = kept.map(({ event_type }) => event_type);
  expect(known.at(0)).toBe('TurnStarted');
  expect(heard.slice(0, known.length)).toEqual(known);
  expect(known).not.toContain('ToolCallSucceeded');
  expect(known.length).toBeLessThan(heard.length - 1);
  expect(answered).toBe(false);

  journal.give(end);
  await system.settle();
  expect(answered).toBe(true);
  expect(kept).toEqual((await turn).trace);
});

test('a journal that was slow with the start is asked for what is left until the deadline; what came late meanwhile is kept', async () => {
  const system = manualSystem();
  const kept: TraceEvent[] = [];
  const tools = scripted({ main: { takes: 100 }, slow: { takes: 1_500 } })(system, { begun: [], done: [] }, 1);
  const service = new ToolExecutionService({ tools, system, store: keeping(kept) });
  const heard: TraceEvent[] = [];
  service.subscribe((event) => void heard.push(event));
  const journal = handJournal();
  const calls = ['main', 'slow'].map((toolName) => ({ callId: toolName, toolName }));
  const turn = runJournaledTurn({ service, turnId: 'turn', plan: { timeoutMs: 1_000, calls }, journal });
  const attempt = journal.begin('main#1');
  void journal.begin('slow#1');
  const start = await journal.begin('start');
  await system.advance(200);
  journal.give(start);
  journal.give(await attempt);
  await system.settle();
  expect(journal.delays).toEqual(new Map([['deadline', 900]]));

  await system.advance(800);
  journal.give({ type: 'timer', name: 'deadline' });
  await system.settle();
  const deadline = await journal.begin('deadline');
  await system.advance(1_000);
  expect(heard.at(-1)?.event_type).not.toBe('TurnCompleted');
  expect(kept.map(({ event_type }) => event_type)).not.toContain('TurnCompleted');
  journal.give(deadline);
  expect(await turn).toMatchObject({ outcome: 'deadline', executionTime: 1_000 });
  await system.settle();
  expect(kept).toEqual(heard);
});
