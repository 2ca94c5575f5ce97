/**
 * Owns composing what a call of a tool needs, whatever its origin: the service, the tools with their sources, logs and audit. A gateway
 * is composed on top of it (`compose.ts`), a worker runs turns with it (`worker.ts`). Does not own its lifecycle.
 */
import { join } from 'node:path';
import { createRedactor, type Redactor, ToolExecutionService } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { describeError } from '@holdfast/core/internal';
import { shareCircuits } from '@holdfast/core/fleet';
import { createMetrics, type Metrics } from '@holdfast/core/metrics';
import { type GatewayEntry, type Manifest, serviceOptions } from '@holdfast/manifest';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { createToolRuns, type ToolRuns } from '../calls/tool-runs.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { createCatalog } from '../catalog/create-catalog.ts';
import { dataFolder } from './data-folder.ts';
import { sharedCircuitsOf } from '../engine/shared-circuits.ts';
import { createOperation, type Operation } from '../operation/index.ts';
import { loadToolSources, type ToolSources } from './tool-sources.ts';
import { createUpstreams } from '../upstreams/upstreams.ts';
import type { OnUpstreamFault, Upstreams } from '../upstreams/upstream.ts';
import { version } from '../plain/version.ts';

export interface ToolRuntimeOptions {
  readonly store?: Store | undefined;
  readonly log?: GatewayEntry['log'] | undefined;
  readonly write?: ((text: string) => void) | undefined;
  readonly onFault?: ((text: string) => void) | undefined;
  /** Returns the manifest in force; a reload changes it. */
  readonly current: () => Manifest;
  /** Answers requests of a server outside of any call. @default none are answered */
  readonly answer?: ((upstream: string, method: string, params: JsonObject) => Promise<JsonObject>) | undefined;
  /** Number of firing alerts by name. @default none */
  readonly alertsFiring?: (() => Readonly<Record<string, number>>) | undefined;
}

export interface ToolRuntime {
  readonly service: ToolExecutionService;
  readonly metrics: Metrics;
  readonly operation: Operation;
  readonly upstreams: Upstreams;
  readonly sources: ToolSources;
  readonly runs: ToolRuns;
  readonly catalog: Catalog;
  readonly redact: Redactor;
  /** Reports a message to the operator, without secrets. */
  readonly report: (text: string) => void;
  readonly upstreamFault: OnUpstreamFault;
  /** Applies another manifest to tools and servers: `current` returns it once `take` was called. Rejects if it cannot be applied; then nothing has changed. */
  readonly apply: (next: Manifest, take: () => void) => Promise<void>;
  /** Ends everything that it has started. */
  readonly close: () => Promise<void>;
  /** Records the circuits that are restored as open, for which there is no event. */
  readonly noteCircuits: () => void;
}

/** Rejects if something cannot be created; then nothing has been started. */
export async function createToolRuntime({
  store,
  log,
  write,
  onFault,
  current,
  answer,
  alertsFiring = () => ({}),
}: ToolRuntimeOptions): Promise<ToolRuntime> {
  const manifest = current();
  const settings = (): GatewayEntry => current().gateway;
  const shared = serviceOptions(manifest);
  const redact = createRedactor(shared.redact);
  const report = (text: string): void => onFault?.(redact(text));
  const upstreamFault: OnUpstreamFault = ({ upstream, operation: action, error }) =>
    report(`${upstream}: ${action}: ${describeError(error).message}`);

  const circuits = await sharedCircuitsOf(manifest);
  const service = new ToolExecutionService({
    ...shared,
    tools: [],
    onFault: ({ component, name, error }) => report(`${component} ${name} failed: ${error}`),
    ...(store ? { store } : {}),
    ...(circuits ? { sharedCircuits: shareCircuits(circuits) } : {}),
  });
  const upstreams = createUpstreams(manifest, { onFault: upstreamFault, ...(answer ? { answer } : {}) });
  const sources = await loadToolSources(manifest, {
    serverOf: (name) => upstreams.get(name)?.server,
    onProblem: report,
    maxCallMs: () => maxCallMs(service),
  });
  const runs = createToolRuns({ upstreams, settings });
  const folder = dataFolder(manifest);
  const catalog = await createCatalog(
    { manifest, tools: sources.tools(), extra: sources.extra() },
    {
      upstreams,
      run: runs.run,
      wrap: runs.wrap,
      cacheFile: folder === undefined ? undefined : join(folder, 'tools.json'),
      onNote: ({ message }) => report(message),
    },
  );
  const metrics = createMetrics({
    maxTools: maxTools,
    given: () => ({ version, traceDropped: store?.status().dropped ?? 0, alertsFiring: alertsFiring() }),
  });
  service.subscribe((event) => metrics.observe(event));
  const noteCircuits = (): void => {
    for (const { name } of service.tools) {
      const circuit = service.getToolHealth(name)?.circuit;
      if (circuit && circuit !== 'closed') metrics.setCircuit(name, circuit);
    }
  };
  /** Passes the current tools and settings to the service. */
  const offer = (): void => {
    const tools = catalog.list().map(({ tool }) => tool);
    service.replaceTools(tools, current().defaults);
    metrics.setTools(tools.map(({ name }) => name));
    noteCircuits();
  };
  offer();
  catalog.subscribe(offer);
  const operation = createOperation({ service, log: log ?? settings().log, audit: settings().audit, redact, write, onFault: report });
  return {
    service,
    metrics,
    operation,
    upstreams,
    sources,
    runs,
    catalog,
    redact,
    report,
    upstreamFault,
    noteCircuits,
    async apply(next, take) {
      await sources.apply(next);
      take();
      upstreams.apply(next);
      catalog.apply({ manifest: next, tools: sources.tools(), extra: sources.extra() });
      offer();
    },
    async close() {
      await Promise.allSettled([sources.close(), upstreams.close()]);
      await circuits?.close?.();
      await operation.close();
    },
  };
}

/** Further tools are counted together. */
const maxTools = 1_000;

const maxRetirementMs = 600_000;

function maxCallMs(service: ToolExecutionService): number {
  const limits = service.tools.map(({ name }) => service.getToolSettings(name)?.timeoutMs ?? 0);
  return Math.min(Math.max(0, ...limits) + 1_000, maxRetirementMs);
}
