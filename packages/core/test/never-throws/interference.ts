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

/** What user code can interfere with. */
export interface Access {
  readonly system: ManualSystem;
  readonly service: () => ToolExecutionService;
  readonly signal: WatchedSignal;
  /** The calls or the plan given to the service. */
  readonly given: readonly object[];
  /** The arguments of the user code. */
  readonly received: readonly unknown[];
  /** Results of calls made by user code. */
  readonly aside: Promise<readonly ToolResult[]>[];
}

function corrupt(value: unknown, into: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  try {
    for (const key of Object.keys(value)) Reflect.set(value, key, into);
    Object.assign(value, brokenGetters('toJSON'));
  } catch {
    // It is frozen, or hostile itself.
  }
}

type Action = (access: Access) => unknown;

/** What user code may do in addition to its work. */
export const actions: Readonly<Record<string, Action>> = {
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
  'cancels everything': ({ signal }) => signal.abort(hostileValues['broken getters']?.()),
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
  'reads everything': ({ service }) => {
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
    // oxlint-disable-next-line unicorn/no-thenable, typescript/only-throw-error -- the point of the action
    throw { then: (done: (value: unknown) => void) => done(1) };
  },
};

/** Modifications of objects that user code shares with the service; the trace may then contain the modified values. */
export const modifications: Readonly<Record<string, Action>> = {
  'corrupts its arguments': ({ received }) => {
    for (const value of received) corrupt(value, Symbol('corrupted'));
  },
  'clears its arguments': ({ received }) => {
    for (const value of received) corrupt(value, undefined);
  },
  'corrupts the calls': ({ given }) => {
    for (const call of given) corrupt(call, Symbol('corrupted'));
  },
  'clears the calls': ({ given }) => {
    for (const call of given) corrupt(call, undefined);
  },
};

/** Performs an action once: at one place, the nth time that user code runs there. */
export class Interference {
  readonly #at: { readonly place: Place; readonly moment: number; readonly action: Action };
  #times = 0;
  done = false;
  access: Omit<Access, 'received'> | undefined;

  constructor(place: Place, moment: number, action: Action) {
    this.#at = { place, moment, action };
  }

  pass(place: Place, ...received: readonly unknown[]): void {
    if (place !== this.#at.place || this.done || !this.access) return;
    this.#times += 1;
    if (this.#times <= this.#at.moment) return;
    this.done = true;
    this.#at.action({ ...this.access, received });
  }
}
