/** A program: runs one case and sends the report to its parent. Every case runs in a separate process, so that heaps do not mix. */
import { parseArgs } from 'node:util';
import { cases } from './cases/index.ts';
import { countAllocations } from './inspect/allocations.ts';
import { profile } from './inspect/profile.ts';
import type { Report } from './report/report.ts';
import { fullEffort, quickEffort } from './timing/race.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    profile: { type: 'boolean', default: false },
    allocations: { type: 'boolean', default: false },
  },
});

const chosen = cases.find(({ name }) => name === positionals[0]);
if (!chosen) throw new Error(`No case is named '${String(positionals[0])}'.`);

async function answer(report: Report): Promise<void> {
  await new Promise((resolve) => {
    process.send?.(report, undefined, {}, resolve);
  });
}

if (values.profile) await answer(await profile(chosen));
else if (values.allocations) await countAllocations(chosen);
else await answer(await chosen.run({ quick: values.quick, effort: values.quick ? quickEffort : fullEffort, only: values.only }));
process.exit(0);
