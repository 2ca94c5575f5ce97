/** Calls that break the service each time, beside calls that work: they show nothing about the tool. */
import type { World } from '../world/world.ts';
import { always, searchers, searchWorld } from './base.ts';

export const poisonedCaller: World = searchWorld(
  'poisoned_caller',
  'One agent among 200 whose calls always get 500',
  [{ service: 'search', ...always, kind: 'permanent', share: 1, group: 1, status: 500 }],
  {
    agents: [
      searchers,
      {
        count: 1,
        arrivals: { kind: 'closed', think: { kind: 'exponential', meanMs: 1_000 } },
        turn: [{ toolName: 'search' }],
        deadlineMs: 60_000,
      },
    ],
  },
);

export const poisonedArguments: World = searchWorld('poisoned_arguments', '3 % of the calls always get 500, however often they are tried', [
  { service: 'search', ...always, kind: 'permanent', share: 0.03, status: 500 },
]);
