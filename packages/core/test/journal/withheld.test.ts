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
