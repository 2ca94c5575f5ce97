/**
 * Owns the contract of sealed rows, as cases for any test runner.
 */
import { checkOptions } from '../engine/settings/check-options.ts';
import type { SealedRows } from '../engine/ports/sealed-rows.ts';

/** Options of `sealedRowsContract`: how to open the rows under test. */
export interface SealedRowsContractOptions {
  /** Opens the rows. It is called twice per case, always for the same place, like by two processes. */
  readonly open: () => SealedRows | Promise<SealedRows>;
  /** Waits until this much time has passed. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** One case of the contract of sealed rows. */
export interface SealedRowsContractCase {
  /** Name of the case, for the test runner. */
  readonly name: string;
  /** Rejects with an `Error` that describes the violation. */
  readonly run: () => Promise<void>;
}

interface Place {
  readonly one: SealedRows;
  readonly other: SealedRows;
  readonly key: string;
  readonly wait: (milliseconds: number) => Promise<void>;
}

const shortMs = 300;
const longMs = 60_000;

function check(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Error(`Sealed rows contract: ${message}`);
}

const cases: Readonly<Record<string, (place: Place) => Promise<void>>> = {
  async 'a row that one process writes is read by the other, byte for byte'({ one, other, key }) {
    const sealed = '{"ct":"ä\u2028\\u0000=="}';
    const version = await one.write(key, sealed);
    const row = await other.read(key);
    check(row?.sealed === sealed && row.version === version, `read ${JSON.stringify(row)}`);
    check((await other.read(`${key}?`)) === undefined, 'a row without a write was found');
  },
  async 'of two writes that replace the same version, one succeeds'({ one, other, key }) {
    const first = await one.write(key, 'a', { expected: null });
    check(first !== undefined, 'the first write failed');
    const outcomes = await Promise.all([one.write(key, 'b', { expected: first }), other.write(key, 'c', { expected: first })]);
    const won = outcomes.filter((version) => version !== undefined);
    check(won.length === 1 && won[0] !== first, `the writes ended with ${JSON.stringify(outcomes)}`);
    check((await one.read(key))?.sealed === (outcomes[0] === undefined ? 'c' : 'b'), 'the row is not that of the successful write');
    check((await one.write(key, 'd', { expected: null })) === undefined, 'a write that expects no row replaced one');
    check((await one.write(`${key}?`, 'd', { expected: first })) === undefined, 'a write that expects a row created one');
  },
  async 'a deletion that expects another version changes nothing'({ one, other, key }) {
    const first = await one.write(key, 'a');
    const second = await other.write(key, 'b');
    check(first !== undefined && second !== undefined, 'a write failed');
    check(!(await one.delete(key, first)) && (await one.read(key))?.sealed === 'b', 'the deletion deleted another version');
    check(await one.delete(key, second), 'the deletion did not delete');
    check(!(await other.delete(key)) && (await other.read(key)) === undefined, 'the row is still there');
  },
  async 'keys are listed by their beginning, which is no pattern'({ one, key }) {
    for (const name of ['%', '%a', '_', 'a']) await one.write(`${key}${name}`, 'x');
    const found = await one.keys(`${key}%`);
    check(JSON.stringify(found) === JSON.stringify([`${key}%`, `${key}%a`]), `found ${JSON.stringify(found)}`);
  },
  async 'an expired row is not read, not listed, and can be written as a new one'({ one, other, key, wait }) {
    await one.write(key, 'a', { expiresInMs: shortMs });
    check((await other.read(key))?.sealed === 'a', 'the row ended early');
    await wait(shortMs * 2);
    check((await other.read(key)) === undefined && (await other.keys(key)).length === 0, 'the row did not end');
    check((await other.write(key, 'b', { expected: null })) !== undefined, 'the ended row prevents a new one');
  },
  async 'a lease has one holder, who may renew it and give it back'({ one, other, key }) {
    const holders = Array.from({ length: 8 }, (_, index) => `holder ${String(index)}`);
    const taken = await Promise.all(holders.map((holder, index) => (index % 2 === 0 ? one : other).acquire(key, holder, longMs)));
    check(taken.filter(Boolean).length === 1, `${String(taken.filter(Boolean).length)} of 8 holders got the lease`);
    const winner = holders[taken.indexOf(true)] ?? '';
    check(await one.acquire(key, winner, longMs), 'the holder could not renew it');
    await other.release(key, 'another');
    check(!(await other.acquire(key, 'another', longMs)), 'another holder gave it back');
    await other.release(key, winner);
    check(await other.acquire(key, 'another', longMs), 'it was not given back');
  },
  async 'a lease ends with its time'({ one, other, key, wait }) {
    check(await one.acquire(key, 'first', shortMs), 'the lease was not given');
    check(!(await other.acquire(key, 'second', longMs)), 'the lease ended early');
    await wait(shortMs * 2);
    check(await other.acquire(key, 'second', longMs), 'the lease did not end');
    check(!(await one.acquire(key, 'first', longMs)), 'the former holder took it back');
  },
};

/** Returns the cases of the contract: `for (const { name, run } of sealedRowsContract({ open, wait })) test(name, run)`. */
export function sealedRowsContract(options: SealedRowsContractOptions): readonly SealedRowsContractCase[] {
  checkOptions({ open: 'function', wait: 'function' }, options, 'sealedRowsContract', ['open', 'wait']);
  const { open, wait } = options;
  return Object.entries(cases).map(([name, body], index) => ({
    name,
    async run() {
      const one = await open();
      const other = await open();
      try {
        await body({ one, other, key: `contract ${String(index)}: `, wait });
      } finally {
        await Promise.all([one.close(), other.close()]);
      }
    },
  }));
}
