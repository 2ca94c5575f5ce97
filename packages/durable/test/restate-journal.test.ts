import { ToolExecutionService } from '@holdfast/core';
import { createRestateJournal, createTurnWorker, type TurnWorker } from '@holdfast/durable';
import { startRestateServer, type RestateServer } from '@holdfast/durable/testing';
import { workflow, type WorkflowContext } from '@restatedev/restate-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let server: RestateServer;
let worker: TurnWorker;

const STEPS = 50;
const names = Array.from({ length: STEPS }, (_, index) => `step ${index}`);

/** The number of times that the worker is lost in the middle of a turn, from Restate's point of view. */
let losses = 0;
/** The answers that each run got. */
const prefixes: (readonly string[])[] = [];
/** The order in which the works resolved in the last run. */
let asked: readonly string[] = [];

interface Waiting {
  readonly name: string;
  readonly resolve: (text: string) => void;
}

const resolveInOneTick = (order: readonly Waiting[]): void => {
  asked = order.map(({ name }) => name);
  for (const { name, resolve } of order) resolve(`${name} text`);
};

/** All works resolve in one tick, the one that began last first. */
const crowd = async (context: WorkflowContext): Promise<readonly string[]> => {
  const journal = createRestateJournal(context);
  const waiting: Waiting[] = [];
  for (const name of names) {
    journal.step(
      name,
      () =>
        new Promise<string>((resolve) => {
          waiting.push({ name, resolve });
          if (waiting.length === STEPS) setImmediate(() => resolveInOneTick(waiting.toReversed()));
        }),
    );
  }
  const answered: string[] = [];
  for (const _ of names) {
    const entry = await journal.next();
    if (entry.type === 'step') answered.push(entry.text.replace(/ text$/, ''));
  }
  return answered;
};

/** Steps, a timer, and a loss between them. */
const replayed = async (context: WorkflowContext): Promise<readonly string[]> => {
  const journal = createRestateJournal(context);
  const answered: string[] = [];
  const next = async (): Promise<void> => {
    const entry = await journal.next();
    answered.push(entry.type === 'cancelled' ? `cancelled ${entry.reason ?? ''}` : `${entry.type} ${entry.name}`);
  };
  journal.step('a', () => Promise.resolve('a'));
  journal.timer('t', 20);
  journal.step('b', () => Promise.resolve('b'));
  await next();
  await next();
  await next();
  prefixes.push([...answered]);
  if (losses > 0) {
    losses -= 1;
    throw new Error('lost');
  }
  journal.step('c', () => Promise.resolve('c'));
  await next();
  return answered;
};

beforeAll(async () => {
  server = await startRestateServer();
  const journals = [
    workflow({ name: 'crowd', handlers: { run: crowd } }),
    workflow({ name: 'replayed', handlers: { run: replayed }, options: { retryPolicy: { initialInterval: 10 } } }),
  ];
  const service = new ToolExecutionService({ tools: [] });
  worker = await createTurnWorker({ service, services: journals, register: { adminUrl: server.adminUrl } });
});

afterAll(async () => {
  await worker.close();
  await server.stop();
});

const run = async (name: string, key: string): Promise<unknown> =>
  (await fetch(`${server.ingressUrl}/${name}/${key}/run`, { method: 'POST' })).json();

describe('the journal over Restate', () => {
  test('has results in the order in which the work resolved, also within one tick', async () => {
    const answered = await run('crowd', 'one');
    expect(answered).toEqual(asked);
    expect(asked.toSorted()).toEqual(names.toSorted());
  });

  test('has the same answers when it runs again', async () => {
    losses = 3;
    const answered = (await run('replayed', 'lost')) as readonly string[];
    expect(answered.toSorted()).toEqual(['step a', 'step b', 'step c', 'timer t']);
    expect(prefixes).toEqual(Array.from({ length: 4 }, () => answered.slice(0, 3)));
    expect(losses).toBe(0);
  });
});
