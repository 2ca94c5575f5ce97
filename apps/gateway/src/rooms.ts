/**
 * Owns putting the rooms of the gateway together: which room is given what of the others. Does not own their life (`gateway.ts`).
 */
import { dirname, join } from 'node:path';
import { createRedactor, describeError, type Redactor, type Store, ToolExecutionService } from '@holdfast/core';
import { createMetrics, type Metrics } from '@holdfast/core/metrics';
import { type GatewayEntry, type Manifest, serviceOptions } from '@holdfast/manifest';
import type { JsonObject, ServerFace } from '@holdfast/mcp-wire/server';
import type { Alerts } from './alerts/alerts.ts';
import { createAlerts } from './alerts/create-alerts.ts';
import type { Calls } from './calls/calls.ts';
import { createCalls } from './calls/create-calls.ts';
import { createToolRuns } from './calls/tool-runs.ts';
import type { Catalog } from './catalog/catalog.ts';
import { createCatalog } from './catalog/create-catalog.ts';
import type { AlertItem } from './contract.ts';
import { gatewayFace } from './face.ts';
import { createHistory } from './history/create-history.ts';
import type { History } from './history/history.ts';
import { createOperation, type Operation } from './operation/index.ts';
import { createRelay } from './relay/create-relay.ts';
import type { Relay } from './relay/relay.ts';
import { loadToolSources, type ToolSources } from './tool-sources.ts';
import { createUpstreams } from './upstreams/upstreams.ts';
import type { OnUpstreamFault, Upstreams } from './upstreams/upstream.ts';
import { version } from './version.ts';

export interface RoomsOptions {
  readonly store?: Store | undefined;
  readonly log?: GatewayEntry['log'] | undefined;
  readonly write?: ((text: string) => void) | undefined;
  readonly onFault?: ((text: string) => void) | undefined;
  /** The manifest in force: a reload changes it. */
  readonly current: () => Manifest;
  /** Where clients find it, once it listens. */
  readonly address?: (() => string | undefined) | undefined;
  /** Tells all clients. */
  readonly publish: (method: string, params: JsonObject) => void;
}

export interface Rooms {
  readonly service: ToolExecutionService;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
  readonly history: History;
  readonly operation: Operation;
  readonly upstreams: Upstreams;
  readonly sources: ToolSources;
  readonly catalog: Catalog;
  readonly calls: Calls;
  readonly relay: Relay;
  readonly face: ServerFace;
  readonly redact: Redactor;
  /** Tells whoever runs the gateway, without secrets. */
  readonly report: (text: string) => void;
  /** Gives the service the tools and the settings that are in force. */
  readonly offer: () => void;
  /** Begins what looks at the state of the service, once that was restored. */
  readonly begin: () => void;
}

/** Rejects with what stands in the way; nothing was started then. */
export async function createRooms({ store, log, write, onFault, current, address, publish }: RoomsOptions): Promise<Rooms> {
  const manifest = current();
  const settings = (): GatewayEntry => current().gateway;
  const shared = serviceOptions(manifest);
  const redact = createRedactor(shared.redact);
  const report = (text: string): void => onFault?.(redact(text));
  const upstreamFault: OnUpstreamFault = ({ upstream, operation: doing, error }) =>
    report(`${upstream}: ${doing}: ${describeError(error).message}`);

  const service = new ToolExecutionService({
    ...shared,
    tools: [],
    onFault: ({ component, name, error }) => report(`${component} ${name} failed: ${error}`),
    ...(store ? { store } : {}),
  });
  const upstreams = createUpstreams(manifest, {
    onFault: upstreamFault,
    answer: (upstream, method, params) => relay.answer(upstream, method, params),
  });
  const sources = await loadToolSources(manifest, {
    serverOf: (name) => upstreams.get(name)?.server,
    onProblem: report,
    longestCallMs: () => longestCallMs(service),
  });
  const runs = createToolRuns({ upstreams, settings });
  const cacheFile = manifest.store ? join(dirname(manifest.store.path), 'tools.json') : undefined;
  const catalog = await createCatalog(
    { manifest, tools: sources.tools(), extra: sources.extra() },
    { upstreams, run: runs.run, wrap: runs.wrap, cacheFile, onNote: ({ message }) => report(message) },
  );
  let firing = (): readonly AlertItem[] => [];
  const metrics = createMetrics({
    maxTools: mostTools,
    given: () => ({ version, traceDropped: store?.status().dropped ?? 0, alertsFiring: countByName(firing()) }),
  });
  service.subscribe((event) => metrics.observe(event));
  /** Circuits that come back open from the store are told by no event. */
  const noteCircuits = (): void => {
    for (const { name } of service.tools) {
      const circuit = service.getToolHealth(name)?.circuit;
      if (circuit && circuit !== 'closed') metrics.setCircuit(name, circuit);
    }
  };
  const offer = (): void => {
    const tools = catalog.list().map(({ tool }) => tool);
    service.replaceTools(tools, current().defaults);
    metrics.setTools(tools.map(({ name }) => name));
    noteCircuits();
  };
  offer();
  catalog.subscribe(offer);

  const operation = createOperation({ service, log: log ?? settings().log, audit: settings().audit, redact, write, onFault: report });
  const calls = createCalls({ service, catalog, runs, settings, announce: operation.announce, redact: shared.redact });
  const relay = createRelay({
    upstreams,
    catalog,
    settings,
    readSpilled: (uri) => calls.readSpilled(uri),
    publish,
    redact,
    onFault: upstreamFault,
  });
  const face = gatewayFace({ catalog, calls, relay });
  const history = createHistory({
    service,
    catalog,
    store,
    path: manifest.store ? join(dirname(manifest.store.path), 'history.db') : undefined,
    retentionDays: settings().history.retentionDays,
    upstreams: () => upstreams.status(),
    alertsFiring: () => firing().filter(({ state }) => state === 'firing').length,
    onFault: report,
  });
  const alerts = createAlerts({
    entry: manifest.alerts,
    service,
    metrics,
    records: history.alerts,
    note: (change) => history.note(change),
    address: address ?? (() => undefined),
    redact,
    onFault: report,
  });
  firing = alerts.active;
  const begin = (): void => {
    noteCircuits();
    alerts.start();
  };
  return { service, metrics, alerts, history, operation, upstreams, sources, catalog, calls, relay, face, redact, report, offer, begin };
}

function countByName(alerts: readonly AlertItem[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name, state } of alerts) if (state === 'firing') counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Further ones are counted together. */
const mostTools = 1_000;

const longestRetirementMs = 600_000;

function longestCallMs(service: ToolExecutionService): number {
  const limits = service.tools.map(({ name }) => service.getToolSettings(name)?.timeoutMs ?? 0);
  return Math.min(Math.max(0, ...limits) + 1_000, longestRetirementMs);
}
