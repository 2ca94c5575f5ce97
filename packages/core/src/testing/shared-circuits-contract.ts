/**
 * Owns the contract of shared circuit coordinators, as cases for any test runner. Does not own the failures of a coordinator in a separate process (it is killed or
 * hangs).
 */
import { checkOptions } from '../engine/settings/check-options.ts';
import {
  fleetAt,
  type Fleet,
  type SharedCircuitsContractCase,
  type SharedCircuitsContractOptions,
} from './shared-circuits-contract-case.ts';
import { probeCases } from './shared-circuits-contract-probes.ts';
import { voteCases } from './shared-circuits-contract-votes.ts';

export type { SharedCircuitsContractCase, SharedCircuitsContractOptions } from './shared-circuits-contract-case.ts';

/** A vote lifetime that is short enough to wait for. */
const settings = { aloneMs: 0, voteLifetimeMs: 2_500, openMs: 60_000, minRetryAfterMs: 1_000 } as const;

/** Returns the cases of the contract: `for (const { name, run } of sharedCircuitsContract({ open, wait })) test(name, run)`. */
export function sharedCircuitsContract(options: SharedCircuitsContractOptions): readonly SharedCircuitsContractCase[] {
  checkOptions({ open: 'function', wait: 'function', prefix: 'string' }, options, 'sharedCircuitsContract', ['open', 'wait']);
  const { open, wait, prefix = '' } = options;
  const cases: Readonly<Record<string, (fleet: Fleet) => Promise<void>>> = { ...voteCases, ...probeCases };
  return Object.entries(cases).map(([name, body], index) => ({
    name,
    async run() {
      const one = await open(settings);
      const other = await open(settings);
      try {
        await body(fleetAt(`${prefix}tool ${String(index)}`, one, other, wait));
      } finally {
        await one.close?.();
        await other.close?.();
      }
    },
  }));
}
