/** A journal that is read by another version of Holdfast or with unusual settings; and that it has no secrets. */
import type { TurnResult } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import type { JournalEntry } from '@holdfast/core/journal';
import { runJournaledTurn } from '@holdfast/core/journal';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { readEntry } from '../../../src/distributed/journal/entry-text.ts';
import { manualJournal } from './manual-journal.ts';
import { crowd, fail, one, scripted } from './scenes.ts';
import { outcomes, runEveryDeath, runInProcess, runJournaled } from './support.ts';
import type { Scene } from './support.ts';

const plain: Scene = { tools: scripted({ main: {} }), plan: one('main') };

interface Text {
  readonly opening?: Readonly<Record<string, unknown>>;
  readonly entries: readonly (readonly unknown[])[];
}

/** The journal of a turn with one call, with the texts of its steps changed. */
async function journalOf(change: (text: Text) => object): Promise<readonly JournalEntry[]> {
  const { journal } = await runJournaled(plain);
  return journal.entries.map((entry) =>
    entry.type === 'step' ? { ...entry, text: JSON.stringify(change(JSON.parse(entry.text) as Text)) } : entry,
  );
}

/** Runs the same turn on a complete journal. */
function read(entries: readonly JournalEntry[], { tools, plan }: Scene = plain): Promise<TurnResult> {
  const system = manualSystem();
  const service = new ToolExecutionService({ tools: tools(system, { begun: [], done: [] }, 2), system });
  return runJournaledTurn({ service, turnId: 'turn', plan, journal: manualJournal(entries) });
}

const reopened =
  (changes: object): ((text: Text) => object) =>
  (text) =>
    text.opening ? { ...text, opening: { ...text.opening, ...changes } } : text;

describe('a journal of another version of Holdfast', () => {
  test('is read if nothing differs', async () => {
    await expect(read(await journalOf((text) => text))).resolves.toMatchObject({ outcome: 'success' });
  });

  test('is rejected if its format differs', async () => {
    await expect(read(await journalOf(reopened({ version: 2 })))).rejects.toThrow('The journal has format 2');
  });

  test('is rejected if the profile has different values', async () => {
    await expect(read(await journalOf(reopened({ profile: '00000000' })))).rejects.toThrow(/whose profile '\w+' has different values/);
  });

  test('is rejected with the name of an unknown field', async () => {
    await expect(read(await journalOf((text) => ({ ...text, newer: [] })))).rejects.toThrow(
      "The journal has a field 'newer', which this version of Holdfast does not know",
    );
  });

  test('is rejected with the name of an entry `more` by a version that does not support it', () => {
    expect(() => readEntry(['more'] as never)).toThrow("The journal has an entry 'more', which this version of Holdfast does not know");
  });

  test('is read if it has the earlier field `more`', async () => {
    const split = { maxBytes: 1_500, choose: (count: number): number => count - 1 };
    const { journal, turn } = await runJournaled(crowd, split);
    const marked = journal.entries.filter((entry) => entry.type === 'step' && entry.text.includes(',["more"]]'));
    expect(marked.length).toBeGreaterThan(0);
    const before = journal.entries.map((entry) =>
      entry.type === 'step'
        ? { ...entry, text: entry.text.replace(/,"entries":(.*),\["more"\]\]}$/, ',"more":true,"entries":$1]}') }
        : entry,
    );
    expect(before).not.toEqual(journal.entries);
    const again = await read(before, crowd);
    expect(outcomes(again)).toEqual(outcomes(turn));
  });

  test('is rejected with the name of an unknown entry', async () => {
    const newer = (text: Text): object => ({
      ...text,
      entries: text.entries.map((entry) => (entry[0] === 'prepared' ? ['newer', 1] : entry)),
    });
    await expect(read(await journalOf(newer))).rejects.toThrow(
      "The journal has an entry 'newer', which this version of Holdfast does not know",
    );
  });
});

test('a turn without a concurrency limit has none in the next process either', async () => {
  const calls = ['A', 'B', 'C'].map((callId, index) => ({ callId, toolName: 'main', dependsOn: index === 2 ? ['A'] : [] }));
  const scene: Scene = { tools: scripted({ main: { takes: 10 } }), plan: { concurrency: Number.POSITIVE_INFINITY, calls } };
  const { turn, journal } = await runJournaled(scene, { dies: ({ at, name }) => at === 'entry' && name === 'start' });
  expect(journal.deaths).toBe(1);
  expect(turn.trace[0]).toMatchObject({ event_type: 'TurnStarted', concurrency: Number.POSITIVE_INFINITY });
  expect(turn).toMatchObject({ outcome: 'success', executionTime: 20 });
});

describe('a fallback that JSON cannot represent', () => {
  const cyclic: Record<string, unknown> = { part: 1 };
  cyclic['self'] = cyclic;
  const throwing = {
    toJSON() {
      throw new Error('not me');
    },
  };
  const values: Readonly<Record<string, unknown>> = {
    'a big integer': 10n,
    'a big integer within': { of: [1n] },
    'a cycle': cyclic,
    'a toJSON that throws': throwing,
  };

  test.for(Object.entries(values))('%s is delivered as in process, wherever the process dies', async ([, value]) => {
    const scene: Scene = {
      tools: scripted({ main: { fallback: { value }, ends: () => fail('Invalid airport code') } }),
      plan: one('main'),
    };
    const expected = await runInProcess(scene);
    expect(expected.turn.results[0]).toMatchObject({ fallbackUsed: true, output: value });
    expect(outcomes((await runJournaled(scene)).turn)).toEqual(outcomes(expected.turn));
    await runEveryDeath(scene, ({ turn }, index) => {
      expect(turn.outcome, `death at ${index}`).toBe(expected.turn.outcome);
      expect(turn.results[0]?.fallbackUsed, `death at ${index}`).toBe(true);
      expect(turn.results[0]?.output, `death at ${index}`).toBeDefined();
    });
  });
});

test('a journal has neither arguments nor secrets in error messages', async () => {
  const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH';
  const { journal, turn } = await runJournaled({
    tools: scripted({ main: { retry: { maxAttempts: 1 }, ends: () => fail(`401 for Authorization: Bearer ${secret}`) } }),
    plan: one('main', { arguments: { password: 'hunter2hunter2', api_key: secret } }),
  });
  expect(turn.results[0]).toMatchObject({ status: 'error' });
  const journaled = JSON.stringify(journal.entries);
  expect(journaled).toContain('401 for Authorization');
  expect(journaled).not.toContain(secret);
  expect(journaled).not.toContain('hunter2');
});
