/** Owns one Vitest in a working copy, as a process of its own: sources that have not changed stay compiled from run to run. */
import { createVitest, type TestModule, type TestSpecification } from 'vitest/node';

/** The files to run, in this order until a test fails, and the sources that have changed since the last run. */
export interface Order {
  readonly files: readonly string[];
  readonly changed: readonly string[];
}

export interface Answer {
  /** Files of which a test failed, or that could not be loaded, with the first failure. */
  readonly failed: readonly { readonly file: string; readonly test: string }[];
  readonly durations: Readonly<Record<string, number>>;
}

const root = process.cwd();

class InGivenOrder {
  sort(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
}

/** Those of this run only: Vitest itself keeps what failed in earlier runs. */
let ended: TestModule[] = [];
const reporter = { onTestModuleEnd: (module: TestModule) => void ended.push(module) };
const options = { root, watch: false, project: ['acceptance'], maxWorkers: 1, bail: 1, reporters: [reporter], testTimeout: 10_000 };
const vitest = await createVitest({ ...options, sequence: { sequencer: InGivenOrder } });
const known = new Map((await vitest.globTestSpecifications()).map((each) => [each.moduleId, each]));

async function run({ files, changed }: Order): Promise<Answer> {
  for (const path of changed) vitest.invalidateFile(path);
  ended = [];
  await vitest.runTestSpecifications(files.flatMap((file) => known.get(file) ?? []));
  const failed = ended.filter((module) => module.state() === 'failed');
  return {
    failed: failed.map((module) => {
      const test = [...module.children.allTests('failed')][0];
      return { file: module.moduleId, test: test?.fullName ?? 'the file does not load' };
    }),
    durations: Object.fromEntries(ended.map((module) => [module.moduleId, module.diagnostic().duration])),
  };
}

process.on('message', (order: Order) => void run(order).then((answer) => process.send?.(answer)));
process.send?.('ready');
