import { createAgenda } from '@holdfast/core/internal';
import { describe, expect, it } from 'vitest';
import { createReplica } from '../../src/world/replica.ts';

function scene(servers: number, queue: number) {
  const agenda = createAgenda();
  const replica = createReplica(agenda, servers, queue);
  const log: string[] = [];
  const take = (name: string, at: number, durationMs: number): void => {
    agenda.at(at, () => {
      const taken = replica.take({ durationMs, done: () => log.push(`${name} done ${agenda.now()}`) });
      if (!taken) log.push(`${name} refused ${agenda.now()}`);
    });
  };
  return { agenda, replica, log, take };
}

describe('a replica', () => {
  it('serves first come, first served, and refuses requests that do not fit in its queue', () => {
    const { agenda, log, take } = scene(1, 2);
    take('a', 0, 100);
    take('b', 10, 50);
    take('c', 20, 30);
    take('d', 30, 1);
    take('e', 120, 5);
    agenda.run();
    // a works until 100, b from 100 to 150, c to 180; d found two waiting; e came when only c was waiting.
    expect(log).toEqual(['d refused 30', 'a done 100', 'b done 150', 'c done 180', 'e done 185']);
  });

  it('works on as many requests at a time as it has servers', () => {
    const { agenda, replica, log, take } = scene(2, 10);
    take('a', 0, 100);
    take('b', 0, 40);
    take('c', 0, 10);
    agenda.at(20, () => log.push(`${replica.busy} busy, ${replica.queued} queued`));
    agenda.run();
    expect(log).toEqual(['2 busy, 1 queued', 'b done 40', 'c done 50', 'a done 100']);
  });

  it('finishes its requests when it loses servers, and takes more when they are back', () => {
    const { agenda, replica, log, take } = scene(2, 10);
    take('a', 0, 100);
    take('b', 0, 100);
    take('c', 0, 100);
    take('d', 0, 100);
    agenda.at(50, () => replica.open(1));
    agenda.at(150, () => replica.open(2));
    agenda.run();
    expect(log).toEqual(['a done 100', 'b done 100', 'c done 200', 'd done 250']);
  });

  it('keeps its order through a queue of thousands', () => {
    const { agenda, log, take } = scene(1, 10_000);
    for (let nth = 0; nth < 5_000; nth++) take(String(nth), 0, 1);
    agenda.run();
    expect(log).toEqual(Array.from({ length: 5_000 }, (_, nth) => `${nth} done ${nth + 1}`));
  });
});
