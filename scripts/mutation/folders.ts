/**
 * Which sources are mutated together and which test files look for their mutants: those that mirror the folder, and
 * where a folder is reached only through another, the tests of that one. Tests that start programs or browsers stay out.
 */
export interface MutatedFolder {
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  /** The sources remember what they have seen: a process for each mutant, so that none sees what another left. */
  readonly remembers?: boolean;
  /** The same, but within one process: tests get sources that are loaded anew for each mutant. */
  readonly reloads?: boolean;
}

const mirror = (name: string): MutatedFolder => ({
  sources: [`packages/core/src/${name}/**/*.ts`],
  tests: [`test/${name}/**/*.test.ts`],
});

const withTestsOf = (name: string, ...others: readonly string[]): MutatedFolder => ({
  sources: mirror(name).sources,
  tests: [name, ...others].flatMap((folder) => mirror(folder).tests),
});

/** Whole calls and turns through the service, without the properties, which take seconds for a mutant. */
const throughTheService = ['test/service/!(*.property).test.ts', 'test/{call,turn}/traces.test.ts', 'test/trace/**/*.test.ts'];

export const folders: Readonly<Record<string, MutatedFolder>> = {
  admission: mirror('admission'),
  agent: { sources: mirror('agent').sources, tests: ['test/agent/!(*.property).test.ts'] },
  alerts: mirror('alerts'),
  breaker: mirror('breaker'),
  call: mirror('call'),
  classify: { ...mirror('classify'), reloads: true },
  drivers: { sources: mirror('drivers').sources, tests: [...throughTheService, 'test/replay/!(*.property).test.ts'] },
  memory: mirror('memory'),
  metrics: mirror('metrics'),
  recover: mirror('recover'),
  redact: mirror('redact'),
  replay: mirror('replay'),
  retry: mirror('retry'),
  schema: mirror('schema'),
  service: { sources: mirror('service').sources, tests: throughTheService },
  session: { sources: mirror('session').sources, tests: ['test/session/!(*.property).test.ts', 'test/agent/answers.test.ts'] },
  settings: mirror('settings'),
  standalone: mirror('standalone'),
  stores: withTestsOf('stores', 'testing'),
  system: {
    sources: ['packages/core/src/system/**/*.ts', 'packages/core/src/testing/manual-system.ts'],
    tests: ['test/system/!(real-machine).test.ts'],
  },
  text: { ...mirror('text'), remembers: true },
  tool: mirror('tool'),
  trace: mirror('trace'),
  turn: mirror('turn'),
};
