/**
 * Owns the parts that every tool call needs: the service, the tools and their sources, and the call log. A gateway
 * builds on it (`compose.ts`), and so does a worker (`worker.ts`). Does not own its life cycle.
 */
import { join } from 'node:path';
import { type AnyTool, createRedactor, type Redactor, ToolExecutionService } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { describeError } from '@holdfast/core/internal';
import { shareCircuits } from '@holdfast/core/fleet';
import { createMetrics, type Metrics } from '@holdfast/core/metrics';
import { type GatewayEntry, type Manifest, serviceOptions } from '@holdfast/manifest';
import { keepsClientsApart } from '../access/access-rules.ts';
import { type ClientCircuits, createClientCircuits } from '../access/client-circuits.ts';
import { createToolRuns, type ToolRuns } from '../calls/tool-runs.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { createCatalog } from '../catalog/create-catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import { dataFolder } from './data-folder.ts';
import { sharedCircuitsOf } from '../engine/shared-circuits.ts';
import { createOffering, type Offering } from './offer-tools.ts';
import { createOperation, type Operation } from '../operation/operation.ts';
import { loadToolSources, type ToolSources } from './tool-sources.ts';
import { createTracing, type Tracing } from './tracing.ts';
import type { AnswerServer } from '../upstreams/held-server.ts';
import { createUpstreams, type UpstreamsOptions } from '../upstreams/upstreams.ts';
import type { OnUpstreamFault, Upstreams, UpstreamStatus } from '../upstreams/upstream.ts';
import { createServerAuth, gatewayCaller, type RequiredLogin, type ServerAuth } from '../server-auth/server-auth.ts';
import { version } from '../plain/version.ts';

export interface ToolRuntimeOptions {
  readonly store?: Store | undefined;
  readonly log?: GatewayEntry['log'] | undefined;
  readonly write?: ((text: string) => void) | undefined;
  readonly onFault?: ((text: string) => void) | undefined;
  /** Whose store has the logins at servers. @default the current manifest */
  readonly credentialsOf?: Pick<Manifest, 'store' | 'folder'> | undefined;
  /** Whether tools of new servers are recorded in the lock file. @default true */
  readonly recordTools?: boolean | undefined;
  /** The current manifest; a reload replaces it. */
  readonly current: () => Manifest;
  /** Answers requests of a server outside of any call. @default they are not answered */
  readonly answer?: AnswerServer | undefined;
  /** Numbers of firing alerts by name. @default none */
  readonly alertsFiring?: (() => Readonly<Record<string, number>>) | undefined;
}

export interface ToolRuntime {
  readonly service: ToolExecutionService;
  readonly metrics: Metrics;
  readonly operation: Operation;
  readonly upstreams: Upstreams;
  /** The logins at servers. */
  readonly serverAuth: ServerAuth;
  /** The status of all upstreams, with their tools that are not offered. */
  readonly upstreamStatus: () => readonly UpstreamStatus[];
  readonly sources: ToolSources;
  readonly runs: ToolRuns;
  readonly catalog: Catalog;
  /** Whose circuits calls use. */
  readonly clientCircuits: ClientCircuits;
  readonly redact: Redactor;
  /** Runs work as a part of a client's trace. */
  readonly enterTrace: Tracing['enter'];
  /** Messages for the operator, without secrets. */
  readonly report: (text: string) => void;
  readonly upstreamFault: OnUpstreamFault;
  /** Applies another manifest to tools and servers: `take` is called when `current` has to return it. Rejects, without any change, if it cannot be used. */
  readonly apply: (next: Manifest, take: () => void) => Promise<void>;
  /** Closes everything it has started. */
  readonly close: () => Promise<void>;
  /** Adds circuits that were restored as open to the metrics, since no event reports them. */
  readonly noteCircuits: () => Promise<void>;
}

/** Rejects when a part cannot be created; then nothing has been started. */
export async function createToolRuntime({
  store,
  log,
  write,
  onFault,
  credentialsOf,
  recordTools,
  current,
  answer,
  alertsFiring = () => ({}),
}: ToolRuntimeOptions): Promise<ToolRuntime> {
  const manifest = current();
  const settings = (): GatewayEntry => current().gateway;
  const { redact, report, upstreamFault } = createReports(manifest, onFault);
  const tracing = createTracing(manifest, report);
  const circuits = await sharedCircuitsOf(manifest);
  /** Filled below: the catalog needs the service before it exists. */
  const made: { clientCircuits?: ClientCircuits } = {};
  const service = createService(manifest, { store, circuits, tracing, report, partitionsOf: (id) => made.clientCircuits?.ofId(id) });
  const serverAuth = createServerAuth(credentialsOf ?? manifest);
  const upstreams = openUpstreams(manifest, serverAuth, { onFault: upstreamFault, ...(answer ? { answer } : {}) });
  const sources = await loadToolSources(manifest, {
    serverOf: (name) => upstreams.get(name)?.server,
    onProblem: report,
    maxCallMs: () => maxCallMs(service),
  });
  const keepsApart = (): boolean => keepsClientsApart(settings());
  const runs = createToolRuns({ upstreams, settings, keepsApart });
  const metrics = metricsOf(service, store, alertsFiring);
  const offering = createOffering(service, metrics);
  const catalog = await openCatalog({ manifest, upstreams, sources, runs, report, recordTools, offering });
  const clientCircuits = createClientCircuits({ upstreams, catalog, exchanges: runs.exchanges, keepsApart });
  made.clientCircuits = clientCircuits;
  const operation = createOperation({ ...logOf(settings(), log), service, circuits: clientCircuits, redact, write, onFault: report });
  return {
    service,
    metrics,
    operation,
    upstreams,
    serverAuth,
    upstreamStatus: () => upstreams.status().map((status) => withWithheld(status, catalog)),
    sources,
    runs,
    catalog,
    clientCircuits,
    redact,
    report,
    upstreamFault,
    noteCircuits: offering.noteCircuits,
    enterTrace: tracing.enter,
    apply: applyTo({ sources, upstreams, catalog }),
    async close() {
      await Promise.allSettled([sources.close(), upstreams.close()]);
      await circuits?.close?.();
      await operation.close();
      await tracing.close();
    },
  };
}

const logOf = (entry: GatewayEntry, log: ToolRuntimeOptions['log']): Pick<GatewayEntry, 'log' | 'audit'> => ({
  log: log ?? entry.log,
  audit: entry.audit,
});

function withWithheld(status: UpstreamStatus, catalog: Pick<Catalog, 'withheldTools'>): UpstreamStatus {
  const withheldTools = catalog.withheldTools(status.name);
  return Object.keys(withheldTools).length === 0 ? status : { ...status, withheldTools };
}

/** With the logins at servers, which end with them. */
function openUpstreams(manifest: Manifest, { authorizer, required, close }: ServerAuth, options: UpstreamsOptions): Upstreams {
  const isOwn = (name: string, login: RequiredLogin): boolean => login.server === name && login.principal === gatewayCaller.principal;
  const upstreams = createUpstreams(manifest, {
    ...options,
    authorizerOf: authorizer,
    loginRequired: (name) => required().find((login) => isOwn(name, login))?.reason,
  });
  return { ...upstreams, close: (graceMs) => upstreams.close(graceMs).then(close) };
}

function applyTo({ sources, upstreams, catalog }: Pick<ToolRuntime, 'sources' | 'upstreams' | 'catalog'>): ToolRuntime['apply'] {
  return async (next, take) => {
    await sources.apply(next);
    take();
    upstreams.apply(next);
    await catalog.apply({ manifest: next, tools: sources.tools(), extra: sources.extra() });
  };
}

function createReports(
  manifest: Manifest,
  onFault: ToolRuntimeOptions['onFault'],
): Pick<ToolRuntime, 'redact' | 'report' | 'upstreamFault'> {
  const redact = createRedactor(serviceOptions(manifest).redact);
  const report = (text: string): void => onFault?.(redact(text));
  return {
    redact,
    report,
    upstreamFault({ upstream, operation, error }) {
      const { message } = describeError(error);
      report(message.startsWith(`MCP server ${upstream} `) ? message : `${upstream}: ${operation}: ${message}`);
    },
  };
}

interface ServiceParts {
  readonly store: Store | undefined;
  readonly circuits: Awaited<ReturnType<typeof sharedCircuitsOf>>;
  readonly tracing: Tracing;
  readonly report: (text: string) => void;
  readonly partitionsOf: ClientCircuits['ofId'];
}

function createService(manifest: Manifest, { store, circuits, tracing, report, partitionsOf }: ServiceParts): ToolExecutionService {
  const service = new ToolExecutionService({
    ...serviceOptions(manifest),
    tools: [],
    middleware: [tracing.middleware],
    partitionsOf,
    onFault: ({ component, name, error }) => report(`${component} ${name} failed: ${error}`),
    ...(store ? { store } : {}),
    ...(circuits ? { sharedCircuits: shareCircuits(circuits) } : {}),
  });
  tracing.attach(service);
  return service;
}

function openCatalog({
  manifest,
  upstreams,
  sources,
  runs,
  report,
  recordTools,
  offering,
}: Pick<ToolRuntime, 'upstreams' | 'sources' | 'runs' | 'report'> &
  Pick<ToolRuntimeOptions, 'recordTools'> & { readonly manifest: Manifest; readonly offering: Offering }): Promise<Catalog> {
  const folder = dataFolder(manifest);
  const toolsOf = (entries: readonly CatalogEntry[]): readonly AnyTool[] => entries.map(({ tool }) => tool);
  return createCatalog(
    { manifest, tools: sources.tools(), extra: sources.extra() },
    {
      upstreams,
      run: runs.run,
      wrap: runs.wrap,
      cacheFile: folder === undefined ? undefined : join(folder, 'tools.json'),
      recordTools,
      offer: (entries, { defaults }) => offering.offer(toolsOf(entries), defaults),
      withdraw: (entries) => offering.withdraw(toolsOf(entries)),
      onNote: ({ message }) => report(message),
    },
  );
}

function metricsOf(service: ToolExecutionService, store: Store | undefined, alertsFiring: () => Readonly<Record<string, number>>): Metrics {
  const metrics = createMetrics({
    maxTools,
    given: () => ({
      version,
      traceDropped: store?.status().dropped ?? 0,
      alertsFiring: alertsFiring(),
      heldMs: (name) => service.getToolHealth(name)?.heldMs,
    }),
  });
  service.subscribe((event) => metrics.observe(event));
  return metrics;
}

/** Further ones are counted together. */
const maxTools = 1_000;

const maxRetirementMs = 600_000;

function maxCallMs(service: ToolExecutionService): number {
  const limits = service.tools.map(({ name }) => service.getToolSettings(name)?.timeoutMs ?? 0);
  return Math.min(Math.max(0, ...limits) + 1_000, maxRetirementMs);
}
