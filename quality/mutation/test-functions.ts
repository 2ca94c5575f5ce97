/**
 * Replaces what the core's tests import from `vitest`, based on mocha: vitest starts a thread for every mutant, which takes a second; mocha stays in one
 * process and takes milliseconds. `expect` is vitest's own. Test names get a number because a mutant is tied to the tests that reach it by their name.
 */
import { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect';
import { forgetFirstLoad, reload } from './reload.ts';

type Body = (...values: readonly unknown[]) => unknown;
type Define = (name: string, run: () => unknown) => unknown;

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export const expect: typeof chai.expect = chai.expect;

/** Mocha puts its functions into the global object while it loads a file. */
const mochaFunction = (name: string): Define => Reflect.get(globalThis, name) as Define;

/** Excludes tests that repeat one thing to show that nothing grows, and tests that read a clock: they would take minutes per mutant, or be flaky. */
const leftOut: readonly RegExp[] = [
  /^a million calls/,
  /^a hundred thousand calls/,
  /^holds 100,000 timers/,
  /^%s completes$/,
  /^%s fails with its first call/,
  /^a chain of 10,000/,
  /^200 calls that all depend/,
  /^with any one /,
  /^callers that fail together return spread/,
  /^takes no time for/,
  /^cost the same for each event/,
  /^stays small for texts made to slow patterns down/,
  /^ends on cycles and on chains without end/,
];

let count = 0;
const define = (kind: string, name: unknown, body: () => unknown): void => {
  if (leftOut.some((pattern) => pattern.test(String(name)))) return;
  count += 1;
  mochaFunction(kind)(`${String(name)} (${String(count)})`, body);
};

interface TestFunction {
  (name: unknown, ...rest: readonly unknown[]): void;
  each: (cases: Iterable<unknown>) => (name: unknown, ...rest: readonly unknown[]) => void;
}

/** Options may come before or after the body; mocha must not take a parameter for its own `done`. */
const bodyIn = (rest: readonly unknown[]): Body => rest.find((value) => typeof value === 'function') as Body;

const reloads = process.env['MUTATION_RELOADS'] === '1';

/** A table with hundreds of rows becomes one test: mocha spends more time on finding tests by name than on running them. */
async function runAll(cases: readonly unknown[], run: (one: unknown) => unknown): Promise<void> {
  for (const one of cases) await run(one);
}

const testFunction = (kind: string): TestFunction =>
  Object.assign((name: unknown, ...rest: readonly unknown[]): void => define(kind, name, () => bodyIn(rest)()), {
    each:
      (cases: Iterable<unknown>) =>
      (name: unknown, ...rest: readonly unknown[]): void => {
        // As in vitest: lists are parameters when all cases are lists.
        const all = [...cases];
        const areLists = all.every((one) => Array.isArray(one));
        const run = (one: unknown): unknown => bodyIn(rest)(...(areLists ? (one as readonly unknown[]) : [one]));
        if (reloads && kind === 'it') return define(kind, name, () => runAll(all, run));
        for (const one of all) define(kind, name, () => run(one));
      },
  });

export const it: TestFunction = testFunction('it');
export const test: TestFunction = testFunction('it');
export const describe: TestFunction = testFunction('describe');
export const beforeAll = (body: () => unknown): unknown => Reflect.apply(mochaFunction('before'), undefined, [() => body()]);
export const afterAll = (body: () => unknown): unknown => Reflect.apply(mochaFunction('after'), undefined, [() => body()]);
export const beforeEach = (body: () => unknown): unknown => Reflect.apply(mochaFunction('beforeEach'), undefined, [() => body()]);
export const afterEach = (body: () => unknown): unknown => Reflect.apply(mochaFunction('afterEach'), undefined, [() => body()]);

/** Types are the compiler's concern. */
const anyType: unknown = new Proxy(() => anyType, { get: () => anyType });
export const expectTypeOf = (): unknown => anyType;

if (reloads) {
  beforeEach(reload);
  afterAll(forgetFirstLoad);
}
