/**
 * Owns the composition of the gateway's parts: which part receives what from the others. Does not own their life cycle (`gateway.ts`).
 */
import { join } from 'node:path';
import { type GatewayEntry, type Manifest, serviceOptions } from '@holdfast/manifest';
import type { Store } from '@holdfast/core/store';
import type { ConnectedClient, JsonObject, ServerHandler } from '@holdfast/mcp-wire/server';
import { accessOf } from '../access/access.ts';
import { AccessRules } from '../access/access-rules.ts';
import type { Alerts } from '../alerts/alerts.ts';
import { createAlerts } from '../alerts/create-alerts.ts';
import type { Calls } from '../calls/calls.ts';
import { createCalls } from '../calls/create-calls.ts';
import type { AlertItem } from '../contract.ts';
import { dataFolder } from './data-folder.ts';
import { createMethodRouter } from './method-router.ts';
import { createGatewayHistory, type GatewayHistoryOptions } from '../history/gateway-history.ts';
import { type OpenedHistory, openDatabaseHistory, openFileHistory } from '../history/open-history.ts';
import type { History } from '../history/history.ts';
import { createRelay } from '../relay/create-relay.ts';
import type { Relay } from '../relay/relay.ts';
import type { ServerLogins } from '../server-logins/server-logins.ts';
import { createLoginParts } from './login-parts.ts';
import { createStoreTail, type StoreTail } from '../tail/store-tail.ts';
import { watchAll } from '../tail/watch-all.ts';
import { createToolRuntime, type ToolRuntime, type ToolRuntimeOptions } from './tool-runtime.ts';

export interface CompositionOptions extends Omit<ToolRuntimeOptions, 'answer' | 'alertsFiring'> {
  /** Where clients find it, once it listens. */
  readonly address?: (() => string | undefined) | undefined;
  /** Whether the dashboard is served. @default false */
  readonly hasDashboard?: boolean | undefined;
  /** Notifies all clients. */
  readonly publish: (method: string, params: JsonObject, isFor?: (client: ConnectedClient) => boolean) => void;
}

export interface Composition extends ToolRuntime {
  /** What the manifest in force grants to clients. */
  readonly access: AccessRules;
  readonly alerts: Alerts;
  readonly history: History;
  /** Events of other processes; `undefined` if there are none. */
  readonly tail: StoreTail | undefined;
  readonly calls: Calls;
  readonly relay: Relay;
  readonly methods: ServerHandler;
  /** Logins at servers in a browser. */
  readonly logins: ServerLogins;
  /** Starts the parts that read the state of the service, after it was restored. */
  readonly begin: () => void;
}

/** Rejects when the gateway cannot be composed; then nothing has been started. */
export async function compose({ address, publish, hasDashboard = false, ...options }: CompositionOptions): Promise<Composition> {
  const { store, current } = options;
  const manifest = current();
  const settings = (): GatewayEntry => current().gateway;
  const access = new AccessRules(manifest.gateway);
  let firing = (): readonly AlertItem[] => [];
  const runtime = await createToolRuntime({
    ...options,
    answer: (upstream, method, params, key) => relay.answer(upstream, method, params, key),
    alertsFiring: () => countByName(firing()),
  });
  const { service, operation, upstreams, runs, catalog, redact, report, upstreamFault, noteCircuits } = runtime;
  const loginParts = createLoginParts({ runtime, access, current, address: address ?? (() => undefined), hasDashboard, publish });
  const calls = createCalls({
    service,
    catalog,
    runs,
    circuits: runtime.clientCircuits,
    settings,
    announce: operation.announce,
    prompts: loginParts.prompts,
    enterTrace: runtime.enterTrace,
    redact: serviceOptions(manifest).redact,
  });
  const relay = createRelay({
    upstreams,
    catalog,
    settings,
    readSpilled: (uri, client) => calls.readSpilled(uri, accessOf(client).owner),
    keepsApart: () => access.keepsApart,
    prompts: loginParts.prompts,
    publish,
    redact,
    onFault: upstreamFault,
  });
  const methods = createMethodRouter({ catalog, calls, relay, settings });
  const tail = tailOf(manifest, store, report);
  const opened = await openHistory(manifest, report);
  const history = createGatewayHistory({
    service,
    catalog,
    store,
    opened,
    others: tail && store ? { tail, store } : undefined,
    retentionDays: settings().history.retentionDays,
    upstreams: () => upstreams.status(),
    alerts: () => firing(),
    failureLimit: () => current().alerts.rules.failureRate ?? 0.05,
    ...attentionOf(runtime),
    onAction: operation.action,
    onFault: report,
  });
  const alerts = alertsOf(runtime, { manifest, store, tail, opened, history, address });
  firing = alerts.active;
  const begin = (): void => {
    void noteCircuits();
    alerts.start();
  };
  return { ...runtime, ...loginParts, access, tail, alerts, history, calls, relay, methods, begin };
}

/** What an operator has to do. */
const attentionOf = (runtime: ToolRuntime): Pick<GatewayHistoryOptions, 'loginsRequired' | 'toolsWithheld'> => ({
  loginsRequired: () => requiredLogins(runtime),
  toolsWithheld: () => countWithheld(runtime),
});

const countWithheld = ({ upstreamStatus }: ToolRuntime): number =>
  upstreamStatus().reduce((sum, { withheldTools = {} }) => sum + Object.keys(withheldTools).length, 0);

const requiredLogins = ({ upstreams, redact }: ToolRuntime): readonly { readonly server: string; readonly reason: string }[] =>
  upstreams
    .status()
    .flatMap(({ name, loginRequired }) => (loginRequired === undefined ? [] : [{ server: name, reason: redact(loginRequired) }]));

interface AlertSurroundings extends Pick<Composition, 'tail' | 'history'>, Pick<CompositionOptions, 'store' | 'address'> {
  readonly manifest: Manifest;
  readonly opened: OpenedHistory;
}

/** Alerts include events of other processes. */
function alertsOf(runtime: ToolRuntime, { manifest, store, tail, opened, history, address }: AlertSurroundings): Alerts {
  const watched = tail ? watchAll(runtime, tail, store) : runtime;
  const alerts = createAlerts({
    entry: manifest.alerts,
    service: watched.service,
    metrics: watched.metrics,
    records: history.alerts,
    mayNotify: opened.mayNotify,
    note: (change) => history.note(change),
    address: address ?? (() => undefined),
    redact: runtime.redact,
    onFault: runtime.report,
  });
  alerts.subscribe(() => history.refresh());
  return alerts;
}

function countByName(alerts: readonly AlertItem[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name, state } of alerts) if (state === 'firing') counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** The history is beside the trace: in a file of its own, in the same database, or in memory. */
async function openHistory(manifest: Manifest, onFault: (text: string) => void): Promise<OpenedHistory> {
  const { retentionDays } = manifest.gateway.history;
  if (manifest.store !== false && 'postgres' in manifest.store)
    return openDatabaseHistory(manifest.store.postgres, { retentionDays, onFault });
  const folder = dataFolder(manifest);
  return openFileHistory(folder === undefined ? undefined : join(folder, 'history.db'), { retentionDays, onFault });
}

/** Follows other processes if there are any: workers, or gateways on the same database. */
function tailOf({ engine, store: entry }: Manifest, store: Store | undefined, onFault: (text: string) => void): StoreTail | undefined {
  const isShared = engine !== undefined || (entry !== false && 'postgres' in entry);
  return isShared && store?.readAppended ? createStoreTail({ store, onFault }) : undefined;
}
