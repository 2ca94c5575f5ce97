/** What a journal says about its turn, read by another version of Holdfast or after odd settings; and what it does not say: secrets. */
import type { TurnResult } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import type { JournalEntry } from '@holdfast/core/journal';
import { runJournaledTurn } from '@holdfast/core/journal';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { readEntry } from '../../../src/distributed/journal/entry-text.ts';
import { handJournal } from './hand-journal.ts';
import { crowd, fail, one, scripted } from './scenes.ts';
import { ends, playEveryDeath, playInProcess, playJournaled } from './support.ts';
import type { Scene } from './support.ts';

const plain: Scene = { tools: scripted({ main: {} }), plan: one('main') };

interface Text {
  readonly opening?: Readonly<Record<string, unknown>>;
  readonly entries: readonly (readonly unknown[])[];
}

/** The journal of a turn of one call, with a step's text as `change` has it. */
async function journalOf(change: (text: Text) => object): Promise<readonly JournalEntry[]> {
  const { journal } = await playJournaled(plain);
  return journal.entries.map((entry) =>
    entry.type === 'step' ? { ...entry, text: JSON.stringify(change(JSON.parse(entry.text) as Text)) } : entry,
  );
}

/** Runs the same turn over a journal that holds all of it. */
function read(entries: readonly JournalEntry[], { tools, plan }: Scene = plain): Promise<TurnResult> {
  const system = manualSystem();
  const service = new ToolExecutionService({ tools: tools(system, { begun: [], done: [] }, 2), system });
  return runJournaledTurn({ service, turnId: 'turn', plan, journal: handJournal(entries) });
}

const reopened =
  (own: object): ((text: Text) => object) =>
  (text) =>
    text.opening ? { ...text, opening: { ...text.opening, ...own } } : text;

describe('a journal that another version of Holdfast has written', () => {
  test('unchanged it is read', async () => {
    await expect(read(await journalOf((text) => text))).resolves.toMatchObject({ outcome: 'success' });
  });

  test('the form of the journal is another', async () => {
    await expect(read(await journalOf(reopened({ version: 2 })))).rejects.toThrow('The journal is of form 2');
  });

  test('the profile has other numbers', async () => {
    await expect(read(await journalOf(reopened({ profile: '00000000' })))).rejects.toThrow(/whose profile '\w+' has other numbers/);
  });

  test('a step holds what is unknown beside its entries: it is named', async () => {
    await expect(read(await journalOf((text) => ({ ...text, newer: [] })))).rejects.toThrow(
      "The journal holds 'newer' beside its entries, which this version of Holdfast does not know",
    );
  });

  test('that a step goes on in another is an entry, which a version without it refuses by name', () => {
    expect(() => readEntry(['more'] as never)).toThrow("The journal holds an entry 'more', which this version of Holdfast does not know");
  });

  test('that it continues was said beside the entries once: it is understood', async () => {
    const split = { mostBytes: 1_500, choose: (count: number): number => count - 1 };
    const { journal, turn } = await playJournaled(crowd, split);
    const marked = journal.entries.filter((entry) => entry.type === 'step' && entry.text.includes(',["more"]]'));
    expect(marked.length).toBeGreaterThan(0);
    const before = journal.entries.map((entry) =>
      entry.type === 'step'
        ? { ...entry, text: entry.text.replace(/,"entries":(.*),\["more"\]\]}$/, ',"more":true,"entries":$1]}') }
        : entry,
    );
    expect(before).not.toEqual(journal.entries);
    const again = await read(before, crowd);
    expect(ends(again)).toEqual(ends(turn));
  });

  test('the form of an entry is unknown: it is named', async () => {
    const newer = (text: Text): object => ({
      ...text,
      entries: text.entries.map((entry) => (entry[0] === 'prepared' ? ['newer', 1] : entry)),
    });
    await expect(read(await journalOf(newer))).rejects.toThrow(
      "The journal holds an entry 'newer', which this version of Holdfast does not know",
    );
  });
});

test('a turn without a limit of calls has none in the next process either', async () => {
  const calls = ['A', 'B', 'C'].map((callId, index) => ({ callId, toolName: 'main', dependsOn: index === 2 ? ['A'] : [] }));
  const scene: Scene = { tools: scripted({ main: { takes: 10 } }), plan: { concurrency: Number.POSITIVE_INFINITY, calls } };
  const { turn, journal } = await playJournaled(scene, { dies: ({ at, name }) => at === 'entry' && name === 'start' });
  expect(journal.deaths).toBe(1);
  expect(turn.trace[0]).toMatchObject({ event_type: 'TurnStarted', concurrency: Number.POSITIVE_INFINITY });
  expect(turn).toMatchObject({ outcome: 'success', executionTime: 20 });
});

describe('a fallback that JSON cannot tell', () => {
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

  test.for(Object.entries(values))('%s: delivered as in process, wherever the process dies', async ([, value]) => {
    const scene: Scene = {
      tools: scripted({ main: { fallback: { value }, ends: () => fail('Invalid airport code') } }),
      plan: one('main'),
    };
    const expected = await playInProcess(scene);
    expect(expected.turn.results[0]).toMatchObject({ fallbackUsed: true, output: value });
    expect(ends((await playJournaled(scene)).turn)).toEqual(ends(expected.turn));
    await playEveryDeath(scene, ({ turn }, index) => {
      expect(turn.outcome, `dead at ${index}`).toBe(expected.turn.outcome);
      expect(turn.results[0]?.fallbackUsed, `dead at ${index}`).toBe(true);
      expect(turn.results[0]?.output, `dead at ${index}`).toBeDefined();
    });
  });
});

test('neither arguments nor secrets in the text of an error are in the journal', async () => {
  const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH';
  const { journal, turn } = await playJournaled({
    tools: scripted({ main: { retry: { maxAttempts: 1 }, ends: () => fail(`401 for Authorization: Bearer ${secret}`) } }),
    plan: one('main', { arguments: { password: 'hunter2hunter2', api_key: secret } }),
  });
  expect(turn.results[0]).toMatchObject({ status: 'error' });
  const journaled = JSON.stringify(journal.entries);
  expect(journaled).toContain('401 for Authorization');
  expect(journaled).not.toContain(secret);
  expect(journaled).not.toContain('hunter2');
});
