/** Owns the contract that every adapter keeps, as cases for any test runner. Does not own what a case is about (`cases/`). */
import { argumentCases } from './cases/arguments.ts';
import { failureCases } from './cases/failures.ts';
import { healthyCases } from './cases/healthy.ts';
import { historyCases } from './cases/history.ts';
import { loopCases } from './cases/loops.ts';
import { throwCases } from './cases/throws.ts';
import { timeCases } from './cases/time.ts';
import type { ContractCase } from './contract-case.ts';
import type { AdapterHarness } from './harness.ts';
import { stageOf } from './stage.ts';

/** Everything that is asked of an adapter. */
export const contractCases: readonly ContractCase[] = [
  ...healthyCases,
  ...argumentCases,
  ...throwCases,
  ...failureCases,
  ...timeCases,
  ...loopCases,
  ...historyCases,
];

/** One case of the contract, for a test runner. */
export interface AdapterContractCase {
  /** Stable, kebab-case. */
  readonly id: string;
  /** With the reason, where the framework cannot have it. */
  readonly name: string;
  /** Why it is not judged; absent when it is. */
  readonly lacks?: string;
  /** Rejects with an `Error` that says which promises the adapter broke, and what was seen. */
  readonly run: () => Promise<void>;
}

/** Why a case cannot be asked of a framework. */
export function lackOf({ lacks = {} }: AdapterHarness, { needs }: ContractCase): string | undefined {
  return needs.flatMap((capability) => lacks[capability] ?? [])[0];
}

/** The cases of the contract, asked of the framework with Holdfast: `for (const { name, run } of adapterContract(harness)) it(name, run)`. */
export function adapterContract(harness: AdapterHarness): readonly AdapterContractCase[] {
  return contractCases.map((contractCase) => {
    const { id, title } = contractCase;
    const lacks = lackOf(harness, contractCase);
    if (lacks !== undefined) return { id, name: `${id}: not asked: ${lacks}`, lacks, run: () => Promise.resolve() };
    return {
      id,
      name: `${id}: ${title}`,
      async run() {
        const { broken, seen } = await contractCase.observe(stageOf(harness, true));
        if (broken.length > 0) throw new Error(`Adapter contract, ${id}: not so: ${broken.join('; ')}.\n  Seen: ${seen}`);
      },
    };
  });
}
