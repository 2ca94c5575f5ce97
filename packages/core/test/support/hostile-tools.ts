import type { AttemptContext } from '../../src/engine/tool/runner.ts';
import { brokenProxy, hostileValues, thenables } from './hostile-values.ts';

type Behaviour = (args: unknown, context: AttemptContext) => unknown;

const throwing = Object.entries(hostileValues).map(([name, make]): readonly [string, Behaviour] => [
  `throws ${name}`,
  () => {
    throw make();
  },
]);
const rejecting = Object.entries(hostileValues).map(([name, make]): readonly [string, Behaviour] => [
  `rejects with ${name}`,
  () => Promise.reject(make()),
]);
const returning = Object.entries(hostileValues).map(([name, make]): readonly [string, Behaviour] => [`returns ${name}`, () => make()]);
const resolving = Object.entries(hostileValues).map(([name, make]): readonly [string, Behaviour] => [
  `resolves with ${name}`,
  async () => ({ made: make() }),
]);
const then = Object.entries(thenables).map(([name, make]): readonly [string, Behaviour] => [`returns ${name}`, () => make()]);

const reports: readonly unknown[] = [
  undefined,
  null,
  'half',
  { progress: Number.NaN, total: {}, message: 7 },
  brokenProxy(),
  { message: 'x'.repeat(5_000) },
];

const others: Readonly<Record<string, Behaviour>> = {
  'never settles': () => new Promise(() => undefined),
  'reports junk, then answers': (_args, context) => {
    for (const report of reports) {
      context.reportProgress(report as never);
      context.reportPartial(report);
    }
    return 'done';
  },
  'reports junk, then hangs': (_args, context) => {
    for (const report of reports) context.reportPartial(report);
    return new Promise(() => undefined);
  },
  'reports a cycle, then hangs': (_args, context) => {
    context.reportPartial(hostileValues['cycle']?.());
    return new Promise(() => undefined);
  },
  'reports after its end': async (_args, context) => {
    void Promise.resolve()
      .then(() => undefined)
      .then(() => {
        context.reportProgress({ progress: 1 });
        context.reportPartial('late');
      });
    return 'done';
  },
  'reports through a detached function': (_args, { reportProgress, reportPartial }) => {
    reportProgress({ progress: 1 });
    reportPartial('half');
    return 'done';
  },
  'listens to its signal': (_args, context) =>
    new Promise((_resolve, reject) => {
      context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
    }),
  'settles after the abort': (_args, context) =>
    new Promise((resolve) => {
      context.signal.addEventListener('abort', () => resolve('too late'));
    }),
  'changes its context': (_args, context) => {
    for (const name of ['callId', 'signal', 'attempt', 'timeoutMs', 'reportProgress']) Reflect.set(context, name, undefined);
    return 'done';
  },
  'fails transiently': () => Promise.reject(Object.assign(new Error('down'), { status: 503 })),
  'fails permanently': () => Promise.reject(Object.assign(new Error('bad'), { status: 400 })),
  works: () => ({ fine: true }),
  'succeeds after a while': async () => ({ fine: true }),
};

/** Tools with every kind of misbehaviour, by name. */
export const hostileTools: ReadonlyMap<string, Behaviour> = new Map([
  ...throwing,
  ...rejecting,
  ...returning,
  ...resolving,
  ...then,
  ...Object.entries(others),
]);
