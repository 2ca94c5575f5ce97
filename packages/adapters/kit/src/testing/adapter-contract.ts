/** Owns the contract all adapters fulfil, as cases for any test runner. Does not own the cases themselves (`cases/`). */
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

/** All cases of the contract. */
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
  /** Name of the test, with the reason if the case does not apply. */
  readonly name: string;
  /** Why the case does not apply; absent if it does. */
  readonly lacks?: string;
  /** Rejects with an `Error` that contains the broken expectations and the observed behavior. */
  readonly run: () => Promise<void>;
}

/** Why a case does not apply to a framework; `undefined` if it does. */
export function missingCapability({ lacks = {} }: AdapterHarness, { needs }: ContractCase): string | undefined {
  return needs.flatMap((capability) => lacks[capability] ?? [])[0];
}

/** The cases of the contract for a framework with Holdfast: `for (const { name, run } of adapterContract(harness)) it(name, run)`. */
export function adapterContract(harness: AdapterHarness): readonly AdapterContractCase[] {
  return contractCases.map((contractCase) => {
    const { id, title } = contractCase;
    const lacks = missingCapability(harness, contractCase);
    if (lacks !== undefined) return { id, name: `${id}: not applicable: ${lacks}`, lacks, run: () => Promise.resolve() };
    return {
      id,
      name: `${id}: ${title}`,
      async run() {
        const { broken, seen } = await contractCase.observe(stageOf(harness, true));
        if (broken.length > 0) throw new Error(`Adapter contract, ${id}: failed: ${broken.join('; ')}.\n  Observed: ${seen}`);
      },
    };
  });
}
