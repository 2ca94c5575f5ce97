/**
 * Which sources are mutated together and which test files run against their mutants: those that mirror the folder, and
 * where a folder is reached only through another, the tests of that one. Tests that start programs or browsers are excluded.
 */
export interface MutatedFolder {
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  /** The sources keep state: each mutant needs its own process. */
  readonly remembers?: boolean;
  /** The same within one process: the sources are loaded again for each mutant. */
  readonly reloads?: boolean;
}

/** `folder`: from `src`, such as `engine/call`. */
const mirrorFolder = (folder: string): MutatedFolder => ({
  sources: [`packages/core/src/${folder}/**/*.ts`],
  tests: [`test/${folder}/**/*.test.ts`],
});

const mirrorFile = (file: string): MutatedFolder => ({
  sources: [`packages/core/src/${file}.ts`],
  tests: [`test/${file}.test.ts`],
});

/** Whole calls and turns through the service, without the properties, which take seconds per mutant. */
const throughTheService = [
  'test/runtime/service/!(*.property).test.ts',
  'test/engine/{call,turn}/traces.test.ts',
  'test/engine/trace/**/*.test.ts',
];

export const folders: Readonly<Record<string, MutatedFolder>> = {
  admission: mirrorFolder('engine/admission'),
  alerts: mirrorFolder('projections/alerts'),
  backoff: mirrorFolder('engine/backoff'),
  breaker: mirrorFolder('engine/breaker'),
  call: mirrorFolder('engine/call'),
  classify: { ...mirrorFolder('engine/classify'), reloads: true },
  drivers: { sources: mirrorFolder('runtime/drivers').sources, tests: [...throughTheService, 'test/replay/!(*.property).test.ts'] },
  'episodic-memory': mirrorFile('projections/episodic-memory'),
  loop: { sources: mirrorFolder('agent/loop').sources, tests: ['test/agent/loop/!(*.property).test.ts'] },
  metrics: mirrorFolder('projections/metrics'),
  plain: { sources: ['packages/core/src/engine/plain/!(redact).ts'], tests: ['test/engine/plain/!(redact).test.ts'], remembers: true },
  recover: mirrorFolder('engine/recover'),
  redact: mirrorFile('engine/plain/redact'),
  replay: mirrorFolder('replay'),
  schema: mirrorFolder('engine/schema'),
  service: { sources: mirrorFolder('runtime/service').sources, tests: throughTheService },
  session: {
    sources: mirrorFolder('agent/session').sources,
    tests: ['test/agent/session/!(*.property).test.ts', 'test/agent/loop/answers.test.ts'],
  },
  settings: mirrorFolder('engine/settings'),
  standalone: mirrorFolder('standalone'),
  stores: { sources: mirrorFolder('runtime/stores').sources, tests: ['test/runtime/stores/**/*.test.ts', 'test/testing/**/*.test.ts'] },
  system: {
    sources: ['packages/core/src/runtime/system/**/*.ts', 'packages/core/src/testing/manual-system.ts'],
    tests: ['test/runtime/system/!(real-machine).test.ts'],
  },
  tool: mirrorFolder('engine/tool'),
  'tool-metrics': mirrorFile('projections/tool-metrics'),
  trace: mirrorFolder('engine/trace'),
  turn: mirrorFolder('engine/turn'),
};
