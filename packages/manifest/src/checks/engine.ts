/** Owns the checks of `engine`, `worker` and `shared_circuits` that look at more than one value. */
import { isRecord } from '@holdfast/core/internal/plain';
import type { PathStep } from '../problem.ts';
import { quote } from '../shape/describe.ts';
import type { Checking } from './checking.ts';
import { isLoopback } from './gateway.ts';
import { checkCredentials } from './sources.ts';

type Plain = Readonly<Record<string, unknown>>;

export function checkEngine(value: Plain, checking: Checking): void {
  const { engine, worker } = value;
  if (isRecord(engine) && isRecord(engine['restate'])) checkRestate(engine['restate'], checking);
  if (isRecord(worker)) checkWorker(worker, checking);
  checkSharedCircuits(value, checking);
}

function checkRestate(restate: Plain, checking: Checking): void {
  const path: readonly PathStep[] = ['engine', 'restate'];
  checkCredentials(restate, path, checking);
  for (const key of ['ingress', 'admin']) {
    const given = restate[key];
    if (typeof given !== 'string' || !URL.canParse(given)) continue;
    const { username, password } = new URL(given);
    if (username === '' && password === '') continue;
    const where = [...path, key];
    checking.source.report({
      code: 'not_allowed',
      at: checking.reading.keyAt(...where),
      path: where,
      message: `${quote(key)} contains a user or a password, so no request can be sent to it`,
      allowed: "a URL without them, and headers: { authorization: { env: NAME_OF_A_VARIABLE, prefix: 'Bearer ' } }",
    });
  }
}

const everywhere: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]']);

function checkWorker(worker: Plain, { source, reading }: Checking): void {
  const listen = isRecord(worker['listen']) ? worker['listen'] : {};
  const { host } = listen;
  if (typeof host !== 'string' || isLoopback(host)) return;
  const where = ['worker', 'listen', 'host'];
  const keys = worker['identity_keys'];
  if (!Array.isArray(keys) || keys.length === 0)
    source.report({
      code: 'not_allowed',
      severity: 'warning',
      at: reading.at(...where),
      path: where,
      message: `every client that reaches ${quote(host)} can run tools, and worker.identity_keys is empty`,
      allowed: 'worker.identity_keys: [publickeyv1_…], or a network for the engine only',
    });
  if (!everywhere.has(host) || worker['register'] === false || worker['url'] !== undefined || reading.has('worker', 'url')) return;
  source.report({
    code: 'missing_key',
    at: reading.at(...where),
    path: ['worker', 'url'],
    message: `${quote(host)} is an address to listen on, not an address that the engine can reach`,
    allowed: "worker.url: the address of the workers' load balancer, or register: false",
  });
}

const coordinators: Readonly<Record<string, { readonly needs: string; readonly isThere: (value: Plain) => boolean }>> = {
  restate: { needs: 'engine: { restate: {} }', isThere: ({ engine }) => engine !== undefined },
  postgres: {
    needs: 'store: { postgres: … }',
    isThere: ({ store }) => typeof store === 'string' || (isRecord(store) && store['postgres'] !== undefined),
  },
};

function checkSharedCircuits(value: Plain, { source, reading }: Checking): void {
  const given = value['shared_circuits'];
  const coordinator = typeof given === 'string' ? coordinators[given] : undefined;
  if (!coordinator || coordinator.isThere(value) || reading.has(given === 'restate' ? 'engine' : 'store', String(given))) return;
  const path = ['shared_circuits'];
  const message = `the file has no ${quote(String(given))} to store the circuits`;
  source.report({ code: 'missing_key', at: reading.at(...path), path, message, allowed: coordinator.needs });
}
