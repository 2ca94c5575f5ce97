/** An in-memory durable engine: only journaled data survives the death of a process, and a turn that does not follow from its journal is detected. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JournalEntry, TurnJournal } from '../../src/distributed/journal/turn-journal.ts';
import { manualSystem } from '../../src/testing/manual-system.ts';
import type { MemoryJournalOptions, StartProcess } from '../../src/testing/memory-journal.ts';
import { memoryJournal } from '../../src/testing/memory-journal.ts';

const textOf = (entry: JournalEntry): string => (entry.type === 'step' ? entry.text : entry.type);

/** Two concurrent steps, and a third one after both. */
const threeSteps =
  (work: (name: string) => Promise<string>): StartProcess<string> =>
  async ({ journal }) => {
    journal.step('a', () => work('a'));
    journal.step('b', () => work('b'));
    const texts = [textOf(await journal.next()), textOf(await journal.next())];
    journal.step('c', () => work('c'));
    return [...texts, textOf(await journal.next())].join(' ');
  };

function scene(options: Partial<MemoryJournalOptions> = {}) {
  const system = manualSystem();
  const journal = memoryJournal({ system, ...options });
  const started: string[] = [];
  const work = (name: string, afterMs = 0) =>
    new Promise<string>((resolve) => {
      started.push(name);
      system.setTimer(afterMs, () => resolve(`${name}!`));
    });
  return { system, journal, started, work };
}

describe('a turn without process deaths', () => {
  test('runs steps concurrently, and gets their texts in the order in which they end', async () => {
    const { system, journal, started, work } = scene();
    const answer = await system.until(journal.run(threeSteps((name) => work(name, name === 'a' ? 20 : 10))));
    expect(answer).toBe('b! a! c!');
    expect(started).toEqual(['a', 'b', 'c']);
    expect(journal.commands.map(({ name, after }) => [name, after])).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 2],
    ]);
    expect(journal.deaths).toBe(0);
  });

  test('has the same result when it is replayed, without running any step', async () => {
    const { system, journal, started, work } = scene();
    const turn = threeSteps((name) => work(name, 5));
    const first = await system.until(journal.run(turn));
    expect(await system.until(journal.run(turn))).toBe(first);
    expect(started).toEqual(['a', 'b', 'c']);
    expect(journal.entries).toHaveLength(3);
  });

  test('clears timers that have not fired when it ends', async () => {
    const { system, journal } = scene();
    const turn = journal.run(async (process) => {
      process.journal.timer('deadline', 1_000);
      return 'done';
    });
    expect(await turn).toBe('done');
    expect(system.pendingTimers).toBe(0);
  });

  test('leaves work running after its end', async () => {
    const { system, journal } = scene();
    let late = false;
    await journal.run(async (process) => {
      process.system.setTimer(10, () => (late = true));
      return 'done';
    });
    journal.kill();
    await system.advance(10);
    expect(late).toBe(true);
  });

  test('gets a cancellation as an entry', async () => {
    const { system, journal } = scene();
    const turn = journal.run(async (process) => {
      process.journal.timer('deadline', 1_000);
      return process.journal.next();
    });
    await system.settle();
    journal.cancel('enough');
    expect(await turn).toEqual({ type: 'cancelled', reason: 'enough' });
  });
});

describe('after the death of a process', () => {
  test('journaled steps do not run again, running ones do', async () => {
    const { system, journal, started, work } = scene();
    const turn = journal.run(threeSteps((name) => work(name, name === 'a' ? 20 : 10)));
    await system.advance(15);
    journal.kill();
    expect(await system.until(turn)).toBe('b! a! c!');
    expect(started).toEqual(['a', 'b', 'a', 'c']);
    expect(journal.deaths).toBe(1);
  });

  test('its timers, tasks and result have no effect', async () => {
    const { system, journal } = scene();
    const happened: string[] = [];
    const turn = journal.run(async (process) => {
      process.system.setTimer(10, () => happened.push(`timer of ${process.number}`));
      process.journal.step('a', () => new Promise((resolve) => system.setTimer(20, () => resolve(`from ${process.number}`))));
      return `${textOf(await process.journal.next())} in ${process.number}`;
    });
    await system.advance(5);
    journal.kill();
    expect(await system.until(turn)).toBe('from 2 in 2');
    expect(happened).toEqual(['timer of 2']);
    expect(system.now()).toBe(25);
  });

  test('a journaled timer continues, and is not restarted by the next process', async () => {
    const { system, journal } = scene({ takeOverMs: 300 });
    const turn = journal.run(async (process) => {
      process.journal.timer('deadline', 1_000);
      return [process.number, await process.journal.next(), system.now()];
    });
    await system.advance(500);
    journal.kill();
    expect(await system.until(turn)).toEqual([2, { type: 'timer', name: 'deadline' }, 1_000]);
  });

  test('the next process gets a timer that fired while no process was alive', async () => {
    const { system, journal } = scene({ takeOverMs: 3_000 });
    const turn = journal.run(async (process) => {
      process.journal.timer('deadline', 1_000);
      await process.journal.next();
      return system.now();
    });
    await system.advance(500);
    journal.kill();
    expect(await system.until(turn)).toBe(3_500);
  });

  test('the next process has another monotonic clock and seed, and the same wall clock', async () => {
    const { system, journal } = scene();
    const clocks: (readonly number[])[] = [];
    const seeds: string[] = [];
    const turn = journal.run(async (process) => {
      clocks.push([process.system.now(), process.system.epochMs()]);
      seeds.push(process.system.randomSeed());
      process.journal.timer('deadline', 10);
      await process.journal.next();
    });
    await system.settle();
    journal.kill();
    await system.until(turn);
    expect(clocks).toHaveLength(2);
    expect(clocks[1]?.[0]).not.toBe(clocks[0]?.[0]);
    expect(clocks[1]?.[1]).toBe(clocks[0]?.[1]);
    expect(new Set(seeds).size).toBe(2);
  });

  test('at any point, the result is the same', async () => {
    const reached: string[] = [];
    const sample = scene({ dies: ({ at, name }) => reached.push(`${at} ${name}`) < 0 });
    await sample.system.until(sample.journal.run(threeSteps((name) => sample.work(name))));
    expect(reached.toSorted()).toEqual(
      ['a', 'b', 'c'].flatMap((name) => [`begun ${name}`, `command ${name}`, `entry ${name}`, `result ${name}`]).toSorted(),
    );
    for (const [died] of reached.entries()) {
      const { system, journal, started, work } = scene({ dies: ({ index }) => index === died });
      expect(await system.until(journal.run(threeSteps((name) => work(name))))).toBe('a! b! c!');
      expect(journal.deaths).toBe(1);
      const again = reached[died]?.startsWith('begun') || reached[died]?.startsWith('result');
      expect(started.length, reached[died]).toBeGreaterThanOrEqual(again ? 4 : 3);
    }
  });

  test('and of any number of further ones, a journaled step never runs again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(40), { maxLength: 12 }), async (deaths) => {
        const { system, journal } = scene({ dies: ({ index }) => deaths.includes(index) });
        const turn = threeSteps((name) => {
          expect(journal.entries.map((entry) => (entry.type === 'cancelled' ? '' : entry.name))).not.toContain(name);
          return Promise.resolve(`${name}!`);
        });
        expect((await system.until(journal.run(turn))).split(' ').toSorted()).toEqual(['a!', 'b!', 'c!']);
        expect(journal.entries).toHaveLength(3);
      }),
    );
  });
});

describe('a violation of the requirements is rejected', () => {
  /** Runs a turn that does one thing in its first process and another in the next. */
  async function runDifferently(first: (journal: TurnJournal) => void, second: (journal: TurnJournal) => void): Promise<void> {
    const { system, journal } = scene();
    const turn = journal.run(async (process) => {
      (process.number === 1 ? first : second)(process.journal);
      await process.journal.next();
      process.journal.step('later', () => new Promise(() => {}));
      for (;;) await process.journal.next();
    });
    turn.catch(() => {});
    await system.settle();
    journal.kill();
    await system.until(turn);
  }
  const step =
    (name: string) =>
    (journal: TurnJournal): void =>
      journal.step(name, () => Promise.resolve(name));

  test('a command with another name', async () => {
    await expect(runDifferently(step('A#1'), step('A#2'))).rejects.toThrow(
      "Journal mismatch in process 2 at command 1, after 0 entries: the turn requests step 'A#2' (after 0 entries); the journal has step 'A#1' (after 0 entries).",
    );
  });

  test('a command of another type', async () => {
    await expect(runDifferently(step('a'), (journal) => journal.timer('a', 10))).rejects.toThrow("requests timer 'a'");
  });

  test('commands in another order', async () => {
    const both = (journal: TurnJournal) => void [step('a')(journal), step('b')(journal)];
    const reversed = (journal: TurnJournal) => void [step('b')(journal), step('a')(journal)];
    await expect(runDifferently(both, reversed)).rejects.toThrow('Journal mismatch');
  });

  test('a missing command', async () => {
    await expect(runDifferently(step('a'), () => {})).rejects.toThrow(
      "the journal has step 'a' (after 0 entries); the turn has not requested it",
    );
  });

  test('a command at another position', async () => {
    const more = (journal: TurnJournal) => void [step('a')(journal), step('later')(journal)];
    await expect(runDifferently(step('a'), more)).rejects.toThrow(
      "requests step 'later' (after 0 entries); the journal has step 'later' (after 1 entries).",
    );
  });

  test('work that rejects', async () => {
    const { system, journal } = scene();
    const turn = journal.run((process) => {
      process.journal.step('a', () => Promise.reject(new Error('down')));
      return process.journal.next();
    });
    await expect(system.until(turn)).rejects.toThrow('The work of step a rejects: Error: down. Its text must contain the failure.');
  });

  test('two concurrent waits for the next entry', async () => {
    const { system, journal } = scene();
    const turn = journal.run((process) => Promise.all([process.journal.next(), process.journal.next()]));
    await expect(system.until(turn)).rejects.toThrow('requests the next entry while it waits for one');
  });

  test('a turn that rejects', async () => {
    const { system, journal } = scene();
    await expect(system.until(journal.run(() => Promise.reject(new Error('no'))))).rejects.toThrow('no');
  });
});
