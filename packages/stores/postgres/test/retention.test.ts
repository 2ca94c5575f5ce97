import { describe, expect, test } from 'vitest';
import { freshSchema, useServer } from './support/server.ts';
import { sql } from './support/sql.ts';
import { turnEvents } from './support/turns.ts';

const { server, openStore } = useServer();
const dayMs = 86_400_000;

/** As if everything had been written `days` ago: its runs belong to that day's table. */
async function backdate(schema: string, days: number): Promise<void> {
  const day = Math.floor(Date.now() / dayMs) - days;
  const [from, to] = [day, day + 1].map((one) => String(one * 1e11));
  await sql(
    server().url,
    `CREATE TABLE ${schema}.events_old PARTITION OF ${schema}.events FOR VALUES FROM (${from!}) TO (${to!});
     UPDATE ${schema}.events SET run = run - ${String(days * 1e11)}; UPDATE ${schema}.turns SET run = run - ${String(days * 1e11)}`,
  );
}

describe('retention', () => {
  test('old turns are deleted, the partition of a day without turns is dropped, and recent events keep a turn', async () => {
    const schema = freshSchema();
    const store = openStore({ schema, retentionDays: 14 });
    const old = Date.now() - 20 * dayMs;
    for (let n = 0; n < 30; n += 1) store.append(turnEvents(`old-${String(n)}`, old));
    await store.flush();
    await backdate(schema, 20);
    store.append(turnEvents('new', Date.now()));
    const [head, ...rest] = turnEvents('long', old);
    store.append([head!, ...rest.map((event) => ({ ...event, timestamp: new Date().toISOString() }))]);
    await store.flush();
    expect(await store.stats()).toMatchObject({ turns: 32, days: 3 });
    let steps = 1;
    while (await store.sweep()) steps += 1;
    expect(steps).toBeLessThan(10);
    expect((await store.listTurns()).map((turn) => turn.turnId)).toEqual(['new', 'long']);
    expect(await store.stats()).toMatchObject({ turns: 2, days: 2 });
    expect(await store.readTurn('long')).toHaveLength(5);
  });

  test('a day with a remaining turn is kept, and deleted turns are not returned', async () => {
    const schema = freshSchema();
    const store = openStore({ schema, retentionDays: 14 });
    store.append(turnEvents('old', Date.now() - 20 * dayMs));
    const [head, ...rest] = turnEvents('long', Date.now() - 20 * dayMs);
    store.append([head!, ...rest.map((event) => ({ ...event, timestamp: new Date().toISOString() }))]);
    await store.flush();
    await backdate(schema, 20);
    while (await store.sweep());
    expect((await store.listTurns()).map((turn) => turn.turnId)).toEqual(['long']);
    expect(await store.stats()).toMatchObject({ turns: 1, days: 3 });
    const shown: string[] = [];
    for await (const events of store.readEvents()) shown.push(...events.map((event) => event.turn_id));
    expect(new Set(shown)).toEqual(new Set(['long']));
  });

  test('Infinity keeps all', async () => {
    const store = openStore({ retentionDays: Infinity });
    store.append(turnEvents('old', 0));
    await store.flush();
    expect(await store.sweep()).toBe(false);
    expect(await store.listTurns()).toHaveLength(1);
  });

  test('a deleted turn is gone, and its later events are ignored', async () => {
    const store = openStore();
    const events = turnEvents('secret', Date.now());
    store.append(turnEvents('secret', Date.now() - 1_000));
    store.append(events.slice(0, 3));
    store.append(turnEvents('other', Date.now()));
    expect(await store.deleteTurn('secret')).toBe(2);
    store.append(events.slice(3));
    await store.flush();
    expect(await store.readTurn('secret')).toBeUndefined();
    expect((await store.listTurns()).map((turn) => turn.turnId)).toEqual(['other']);
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
    store.append(turnEvents('secret', Date.now()));
    await store.flush();
    expect(await store.readTurn('secret')).toHaveLength(5);
  });
});

describe('finding turns and calls', () => {
  test('by the beginning of an id, and by the id of a call', async () => {
    const store = openStore();
    const long = 'x'.repeat(300);
    for (const id of ['abc-1', 'abc-2', 'abd', 'a%', 'a_c', `${long}1`, `${long}2`]) store.append(turnEvents(id, Date.now()));
    await store.flush();
    const found = async (prefix: string): Promise<readonly string[]> =>
      (await store.findTurns(prefix)).map((turn) => turn.turnId).toSorted();
    expect(await found('abc')).toEqual(['abc-1', 'abc-2']);
    expect(await found('a%')).toEqual(['a%']);
    expect(await found(long)).toEqual([`${long}1`, `${long}2`]);
    expect(await found(`${long}2`)).toEqual([`${long}2`]);
    expect(await found('z')).toEqual([]);
    expect(await store.findTurns('', 3)).toHaveLength(3);
    expect(await store.findCall('abd-call')).toMatchObject({ callId: 'abd-call', turnId: 'abd', toolName: 'flight_search' });
    expect(await store.findCall('nobody')).toBeUndefined();
  });
});

describe('a database that was restored on another server', () => {
  test('the order continues after the old events, and events of other writers are still read', async () => {
    const schema = freshSchema();
    const before = openStore({ schema });
    before.append(turnEvents('before', Date.now()));
    await before.close();
    // The old server had counted further than this one.
    await sql(server().url, `UPDATE ${schema}.events SET position = position + 1000000000`);
    const [one, other] = [openStore({ schema }), openStore({ schema })];
    await one.ready();
    await other.ready();
    const { cursor } = await one.readAppended(undefined);
    other.append(turnEvents('after', Date.now()));
    await other.flush();
    const order: string[] = [];
    for await (const events of one.readEvents()) order.push(...events.map((event) => event.turn_id));
    expect([order[0], order.at(-1)]).toEqual(['before', 'after']);
    expect((await one.readAppended(cursor)).events).toEqual(await one.readTurn('after'));
  });
});

describe('events of other writers', () => {
  test('a slow transaction is not skipped: its events come in their place when it ends', async () => {
    const schema = freshSchema();
    const [one, other] = [openStore({ schema }), openStore({ schema })];
    await one.ready();
    other.append(turnEvents('first', Date.now(), 1, true));
    await other.flush();
    let { cursor } = await one.readAppended(undefined);
    const slow = openStore({ schema });
    await slow.ready();
    // Holds up the one that writes the turn `slow`, between its number and its commit.
    await sql(
      server().url,
      `CREATE FUNCTION ${schema}.dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW.body LIKE '%"turn_id":"slow"%' THEN PERFORM pg_sleep(0.15); END IF; RETURN NEW; END $$;
       CREATE TRIGGER dawdle BEFORE INSERT ON ${schema}.events FOR EACH ROW EXECUTE FUNCTION ${schema}.dawdle()`,
    );
    slow.append(turnEvents('slow', Date.now()));
    const slowly = slow.flush();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const seen: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      other.append(turnEvents(`quick-${String(n)}`, Date.now()));
      await other.flush();
      const read = await one.readAppended(cursor);
      cursor = read.cursor;
      seen.push(...read.events.map((event) => `${event.turn_id} ${String(event.seq)}`));
    }
    await slowly;
    for (let events = 1; events > 0;) {
      const read = await one.readAppended(cursor, 4);
      cursor = read.cursor;
      seen.push(...read.events.map((event) => `${event.turn_id} ${String(event.seq)}`));
      events = read.events.length;
    }
    const expected = ['slow', 'quick-0', 'quick-1', 'quick-2'].flatMap((id) => [1, 2, 3, 4, 5].map((seq) => `${id} ${String(seq)}`));
    expect(seen.toSorted()).toEqual(expected.toSorted());
    expect(seen.filter((one_) => one_.startsWith('slow'))).toEqual(expected.slice(0, 5));
  });
});
