/**
 * Owns the contract of `Store` implementations, as cases for any test runner. Does not own the behaviour of durable ones (faults, crashes).
 *
 * Every case opens a fresh, empty store and closes it.
 */
import { checkOptions } from '../engine/settings/check-options.ts';
import { delay } from '../engine/settings/fields.ts';
import type { ContractBody, StoreContractCase, StoreContractOptions, CaseContext } from './store-contract-case.ts';
import { circuitCases } from './store-contract-circuits.ts';
import { executionCases, takeoverCases } from './store-contract-executions.ts';
import { durableCases } from './store-contract-durable.ts';
import { listCases } from './store-contract-lists.ts';
import { memoryCases, sharedMemoryCases } from './store-contract-memory.ts';
import { payloadCases } from './store-contract-payloads.ts';
import { turnCases } from './store-contract-turns.ts';

export type { StoreContractCase, StoreContractOptions } from './store-contract-case.ts';

/** Returns the cases of the contract: `for (const { name, run } of storeContract({ open })) test(name, run)`. */
export function storeContract(options: StoreContractOptions): readonly StoreContractCase[] {
  checkOptions({ open: 'function', reopen: 'function', startedAtMs: delay }, options, 'storeContract', ['open']);
  const context: CaseContext = { startedAtMs: Date.UTC(2026, 0, 1), ...options };
  const cases: Readonly<Record<string, ContractBody>> = {
    ...turnCases,
    ...payloadCases,
    ...listCases,
    ...circuitCases,
    ...memoryCases,
    ...executionCases,
    ...(options.reopen === undefined ? {} : { ...durableCases, ...takeoverCases, ...sharedMemoryCases }),
  };
  return Object.entries(cases).map(([name, body]) => ({
    name,
    async run() {
      const store = await context.open();
      try {
        await body(store, context);
      } finally {
        await store.close();
      }
    },
  }));
}
