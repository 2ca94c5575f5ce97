import type { ToolResult } from '../../src/engine/call/result.ts';
import type { ToolExecutionService } from '../../src/runtime/service/tool-execution-service.ts';
import type { ManualSystem } from '../../src/testing/index.ts';
import type { WatchedSignal } from '../support/hostile-signals.ts';
import { brokenGetters, hostileValues } from '../support/hostile-values.ts';

/** Where user code runs inside a service. */
export const places = [
  'tool',
  'input',
  'output',
  'advisor',
  'around',
  'listener',
  'append',
  'saveCircuits',
  'addMemory',
  'onFault',
] as const;
export type Place = (typeof places)[number];

/** What there is to meddle with. */
export interface Workings {
  readonly system: ManualSystem;
  readonly service: () => ToolExecutionService;
  readonly signal: WatchedSignal;
  /** What was handed in: calls, or a plan. */
  readonly given: readonly object[];
  /** What the user code was handed itself. */
  readonly handed: readonly unknown[];
  /** Results of calls that were made on the side. */
  readonly aside: Promise<readonly ToolResult[]>[];
}

function spoil(value: unknown, into: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  try {
    for (const key of Object.keys(value)) Reflect.set(value, key, into);
    Object.assign(value, brokenGetters('toJSON'));
  } catch {
    // It was frozen, or is hostile itself.
  }
}

type Deed = (workings: Workings) => unknown;

/** What user code may do when it is called, beside its work. */
export const deeds: Readonly<Record<string, Deed>> = {
  'calls a tool': ({ service, aside }) =>
    void aside.push(
      service()
        .executeTool({ toolName: 'backup', callId: 'aside' })
        .then((result) => [result]),
    ),
  'runs a batch': ({ service, aside }) =>
    void aside.push(service().executeToolBatch([{ toolName: 'search' }, { toolName: 'backup' }, { toolName: 'nowhere' }])),
  'runs a turn': ({ service, aside }) =>
    void aside.push(
      service()
        .executeTurn({ calls: [{ toolName: 'search' }, { toolName: 'backup', dependsOn: ['call-1'] }], timeoutMs: 2_000 })
        .then(({ results }) => results),
    ),
  'cancels it all': ({ signal }) => signal.abort(hostileValues['broken getters']?.()),
  'closes the service': ({ service }) => void service().close(),
  'restores the service': ({ service }) => void service().restore(),
  'opens the circuits': ({ service }) => {
    for (const name of ['search', 'backup']) service().controlCircuit(name, 'forced_open');
  },
  'switches the circuits off': ({ service }) => {
    for (const name of ['search', 'backup']) service().controlCircuit(name, 'disabled');
  },
  'resets the circuits': ({ service }) => {
    for (const name of ['search', 'backup']) service().resetCircuitBreaker(name);
  },
  'asks for everything': ({ service }) => {
    JSON.stringify([[...service().getToolMetrics()], service().getToolHealth('search'), service().getToolSettings('search')]);
  },
  'listens and leaves': ({ service }) => {
    const stop = service().subscribe(() => stop());
  },
  'listens and throws': ({ service }) => {
    service().subscribe(() => {
      throw Object.create(null);
    });
  },
  'passes time': ({ system }) => system.stepWallClock(-3_600_000),
  'throws nothing': () => {
    throw undefined;
  },
  'throws a thenable': () => {
    // oxlint-disable-next-line unicorn/no-thenable, typescript/only-throw-error -- that is what it does
    throw { then: (done: (value: unknown) => void) => done(1) };
  },
};

/** Deeds that reach into the objects of others: no record can be told apart from its forgery then. */
export const forgeries: Readonly<Record<string, Deed>> = {
  'spoils what it is handed': ({ handed }) => {
    for (const value of handed) spoil(value, Symbol('spoilt'));
  },
  'empties what it is handed': ({ handed }) => {
    for (const value of handed) spoil(value, undefined);
  },
  'spoils the calls': ({ given }) => {
    for (const call of given) spoil(call, Symbol('spoilt'));
  },
  'empties the calls': ({ given }) => {
    for (const call of given) spoil(call, undefined);
  },
};

/** Does its deed once: at one place, the nth time that user code runs there. */
export class Meddler {
  readonly #at: { readonly place: Place; readonly moment: number; readonly deed: Deed };
  #times = 0;
  done = false;
  workings: Omit<Workings, 'handed'> | undefined;

  constructor(place: Place, moment: number, deed: Deed) {
    this.#at = { place, moment, deed };
  }

  pass(place: Place, ...handed: readonly unknown[]): void {
    if (place !== this.#at.place || this.done || !this.workings) return;
    this.#times += 1;
    if (this.#times <= this.#at.moment) return;
    this.done = true;
    this.#at.deed({ ...this.workings, handed });
  }
}
