/**
 * Owns the contract of `KeptHistory` implementations, as cases for any test runner. Does not own the behaviour of durable ones (faults, crashes), nor leases.
 *
 * Every case opens a fresh, empty history and closes it.
 */
import { checkOptions } from '../engine/settings/check-options.ts';
import type { KeptHistory } from '../projections/history/kept-history.ts';
import {
  type HistoryCaseBody,
  type HistoryContractCase,
  type HistoryContractOptions,
  type HistoryScene,
  retentionDays,
  start,
} from './history-contract-case.ts';
import { cellCases } from './history-contract-cells.ts';
import { recordCases } from './history-contract-records.ts';
import { sharedCases } from './history-contract-shared.ts';
import { turnCases } from './history-contract-turns.ts';

export type { HistoryContractCase, HistoryContractOptions, HistoryContractSettings } from './history-contract-case.ts';

/** Returns the cases of the contract: `for (const { name, run } of historyContract({ open })) test(name, run)`. */
export function historyContract(options: HistoryContractOptions): readonly HistoryContractCase[] {
  checkOptions({ open: 'function', reopen: 'function' }, options, 'historyContract', ['open']);
  const { open, reopen } = options;
  const cases: Readonly<Record<string, HistoryCaseBody>> = { ...cellCases, ...turnCases, ...recordCases, ...(reopen ? sharedCases : {}) };
  return Object.entries(cases).map(([name, body]) => ({
    name,
    async run() {
      const clock = { now: start };
      const settings = { now: () => clock.now, retentionDays };
      const opened: KeptHistory[] = [];
      const history = await open(settings);
      const scene: HistoryScene = Object.assign(clock, {
        history,
        async other() {
          const other = (await reopen?.(history, settings)) ?? history;
          opened.push(other);
          return other;
        },
      });
      try {
        await body(scene);
      } finally {
        for (const each of [history, ...opened]) await each.close();
      }
    },
  }));
}
