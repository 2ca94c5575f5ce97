/** The invariant with user code that interferes: calls the service, cancels, closes, or modifies its arguments (docs/specification.md#s3). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { announceSeed } from '../support/seed.ts';
import { watchProcess } from '../support/watch-process.ts';
import { actions, Interference, modifications, places } from './interference.ts';
import type { Place } from './interference.ts';
import type { Scene } from './world.ts';
import { leadingTo, plain, scene, World } from './world.ts';

const kinds = ['call', 'batch', 'turn'] as const;
const place = fc.constantFrom(...places);
const moment = fc.oneof(fc.nat(3), fc.nat(25));

type Kind = (typeof kinds)[number];

/** Every action at every place, the first time that user code runs there: each run covers all of them. */
function everywhere(names: readonly string[]): [Scene, Kind, Place, number, string][] {
  const pairs = places.flatMap((where) => names.map((what) => [where, what] as const));
  return pairs.map(([where, what], index) => [{ ...plain, ...leadingTo[where] }, kinds[index % kinds.length] as Kind, where, 0, what]);
}

async function interfere(drawn: Scene, kind: Kind, interference: Interference): Promise<World> {
  const world = new World({ ...drawn, signal: 'never aborts' }, interference);
  const calls = ['search', 'backup', 'search'].map((toolName, index) => ({
    callId: `c${index}`,
    toolName,
    arguments: { given: world.args },
    ...(kind === 'turn' && { dependsOn: index === 2 ? ['c0'] : [], defaults: index === 2 ? { c0: 'default' } : {} }),
  }));
  const aside: Promise<readonly never[]>[] = [];
  const options = { signal: world.signal.signal, timeoutMs: drawn.timeoutMs };
  interference.access = { system: world.system, service: () => world.service, signal: world.signal, given: calls, aside };
  const { service } = world;
  const answer =
    kind === 'call'
      ? service.executeTool(calls[0] as never, options).then((result) => [result])
      : kind === 'batch'
        ? service.executeToolBatch(calls as never[], options)
        : service.executeTurn({ calls, timeoutMs: 30_000 } as never, options).then(({ results }) => results);
  const results = await world.until(answer);
  expect(results.map(({ callId }) => callId)).toEqual(kind === 'call' ? ['c0'] : ['c0', 'c1', 'c2']);
  world.expectCompleteResults(results);
  await world.expectNothingLeft(async () => {
    for (const more of aside) world.expectCompleteResults(await world.until(more));
  });
  return world;
}

it(
  'never throws: every call gets a complete result, also when user code calls the service, cancels or closes',
  { timeout: 300_000 },
  async () => {
    announceSeed('never throws, interference');
    const watch = watchProcess();
    const names = Object.keys(actions);
    const done = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        scene,
        fc.constantFrom(...kinds),
        place,
        moment,
        fc.constantFrom(...names),
        async (drawn, kind, where, when, what) => {
          const interference = new Interference(where, when, actions[what] as (typeof actions)[string]);
          const world = await interfere(drawn, kind, interference);
          world.readTraces();
          if (interference.done) done.add(`${where}: ${what}`);
          expect(await watch.look()).toEqual([]);
        },
      ),
      { numRuns: propertyRuns(600), examples: everywhere(names) },
    );
    expect(await watch.look()).toEqual([]);
    watch.stop();
    expect(everywhere(names).filter(([, , where, , what]) => !done.has(`${where}: ${what}`))).toEqual([]);
  },
);

it('never throws: every call gets a complete result, also when user code modifies what it was given', { timeout: 300_000 }, async () => {
  const watch = watchProcess();
  const names = Object.keys(modifications);
  await fc.assert(
    fc.asyncProperty(scene, fc.constantFrom(...kinds), place, moment, fc.constantFrom(...names), async (drawn, kind, where, when, what) => {
      await interfere(drawn, kind, new Interference(where, when, modifications[what] as (typeof modifications)[string]));
      expect(await watch.look()).toEqual([]);
    }),
    { numRuns: propertyRuns(200), examples: everywhere(names) },
  );
  expect(await watch.look()).toEqual([]);
  watch.stop();
});
