/**
 * Owns putting the gateway together from its rooms, and its life: ways in, reload, drain, close.
 *
 * Invariants
 * 1. A request that was taken is answered; what does not end within the drain limit is answered with an error.
 * 2. A reload that fails has changed nothing.
 * 3. After `close` no process, socket or timer of the gateway is left.
 */
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { createRedactor, type Store, ToolExecutionService } from '@holdfast/core';
import { type GatewayEntry, type Manifest, serviceOptions } from '@holdfast/manifest';
import { type Front, httpFront, type HttpFront, stdioFront, type StdioFront } from '@holdfast/mcp-wire/server';
import { answerHealth } from './api/health.ts';
import type { HealthParts } from './api/parts.ts';
import { createCalls } from './calls/create-calls.ts';
import { createToolRuns } from './calls/tool-runs.ts';
import type { Catalog } from './catalog/catalog.ts';
import { createCatalog } from './catalog/create-catalog.ts';
import { gatewayFace } from './face.ts';
import { listenHttp } from './http/http-shell.ts';
import type { HttpShell, HttpShellOptions } from './http/options.ts';
import { once } from './once.ts';
import { createOperation } from './operation/index.ts';
import { createRelay } from './relay/create-relay.ts';
import { restOf } from './rest.ts';
import { needingRestart } from './restart.ts';
import { accessTokens } from './tokens.ts';
import { loadToolSources } from './tool-sources.ts';
import { createUpstreams } from './upstreams/upstreams.ts';
import type { Upstreams } from './upstreams/upstream.ts';

export interface GatewayOptions {
  /** Where the trace goes. @default none: only what runs now is known */
  readonly store?: Store | undefined;
  /** Begins with closed circuits, whatever the store remembers. @default false */
  readonly fresh?: boolean | undefined;
  /** In place of the manifest's `gateway.log`. */
  readonly log?: GatewayEntry['log'] | undefined;
  /** Takes the lines of the log. @default standard error */
  readonly write?: ((line: string) => void) | undefined;
  /** What went wrong without hurting an answer, in a sentence for whoever runs the gateway; without secrets. */
  readonly onFault?: ((text: string) => void) | undefined;
}

export interface ListenOptions {
  /** In place of the manifest's. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

export interface Gateway {
  readonly service: ToolExecutionService;
  readonly catalog: Catalog;
  readonly upstreams: Upstreams;
  /** Opens the HTTP way in: `/mcp`, the Turn API, the models. Rejects where it must not or cannot listen there. */
  listen(options?: ListenOptions): Promise<HttpShell>;
  /** Opens a stdio way in. */
  stdio(input: Readable, output: Writable): StdioFront;
  /** Puts another manifest in force; answers the settings that only count from the next start. Rejects when it cannot be used; nothing has changed then. */
  reload(manifest: Manifest): Promise<readonly string[]>;
  /** Takes nothing new, lets run what runs within the limit, keeps everything that is known, ends every process. @default the manifest's `drain_ms` */
  close(limitMs?: number): Promise<void>;
}

export async function createGateway(manifest: Manifest, options: GatewayOptions = {}): Promise<Gateway> {
  const { store } = options;
  let current = manifest;
  let isDraining = false;
  const settings = (): GatewayEntry => current.gateway;
  const shared = serviceOptions(manifest);
  const redact = createRedactor(shared.redact);
  const report = (text: string): void => options.onFault?.(redact(text));

  const service = new ToolExecutionService({
    ...shared,
    tools: [],
    onFault: ({ component, name, error }) => report(`${component} ${name} failed: ${error}`),
    ...(store ? { store } : {}),
  });
  const operation = createOperation({
    service,
    log: options.log ?? settings().log,
    audit: settings().audit,
    redact,
    write: options.write,
    onFault: report,
  });
  const upstreams = createUpstreams(manifest, {
    onFault: ({ upstream, operation: what, error }) => report(`${upstream}: ${what}: ${String((error as Error)?.message ?? error)}`),
    answer: (upstream, method, params) => relay.answer(upstream, method, params),
  });
  const sources = await loadToolSources(manifest, {
    serverOf: (name) => upstreams.get(name)?.server,
    onProblem: report,
    longestCallMs: () => longestCallMs(service),
  });
  const runs = createToolRuns({ upstreams, settings });
  const catalog = await createCatalog(
    { manifest, tools: sources.tools(), extra: sources.extra() },
    {
      upstreams,
      run: runs.run,
      cacheFile: current.store ? join(dirname(current.store.path), 'tools.json') : undefined,
      onNote: ({ message }) => report(message),
    },
  );
  const offer = (): void =>
    service.replaceTools(
      catalog.list().map(({ tool }) => tool),
      current.defaults,
    );
  offer();
  catalog.subscribe(offer);
  if (options.fresh !== true) await service.restore();

  const calls = createCalls({ service, catalog, runs, settings, announce: operation.announce, redact: shared.redact });
  const relay = createRelay({
    upstreams,
    catalog,
    settings,
    readSpilled: calls.readSpilled,
    publish: (method, params) => publish(method, params),
  });
  const face = gatewayFace({ catalog, calls, relay });
  const fronts = new Set<Front>();
  const publish = (method: string, params: Readonly<Record<string, unknown>>): void => {
    for (const front of fronts) front.publish(method, params);
  };

  const health: HealthParts = {
    store,
    upstreams: () => upstreams.status().map(({ name, ...status }) => ({ name, status })),
    isDraining: () => isDraining,
    redact,
  };
  const api = once(async () =>
    (await import('./api/index.ts')).createApi({ ...health, service, store, catalog, announce: operation.announce }),
  );
  const models = once(async () =>
    (await import('./model-proxy/index.ts')).createModelProxy({ models: settings().models, redact, onReport: operation.modelReport }),
  );
  const shells: HttpShell[] = [];
  let closing: Promise<void> | undefined;
  upstreams.connect();

  const closeAll = async (limitMs: number): Promise<void> => {
    isDraining = true;
    const loaded = await api.made()?.catch(() => undefined);
    await Promise.allSettled([...[...fronts].map((front) => front.close(limitMs)), loaded?.drain(limitMs)]);
    await Promise.allSettled(shells.map((shell) => shell.close(closeGraceMs)));
    await Promise.allSettled([calls.close(), catalog.close(), models.made()?.then((proxy) => proxy.close())]);
    relay.close();
    await service.close();
    await Promise.allSettled([sources.close(), upstreams.close()]);
    await operation.close();
  };

  return {
    service,
    catalog,
    upstreams,
    async listen(at = {}) {
      const front: HttpFront = httpFront(face, { limits: settings().limits, onFault: (error) => report(String(error)) });
      const shell = await listenHttp({
        ...addressOf(settings(), at),
        tokens: accessTokens(settings().tokens),
        allowedHosts: settings().allowedHosts,
        allowedOrigins: settings().allowedOrigins,
        limits: settings().limits,
        mcp: front.handle,
        rest: restOf({ health: (request) => answerHealth(request, health), api: api.get, models: models.get }),
        onFault: (error) => report(String(error)),
      });
      fronts.add(front);
      shells.push(shell);
      return shell;
    },
    stdio(input, output) {
      const front = stdioFront(face, {
        input,
        output,
        inFlight: settings().limits.inFlight,
        drainMs: settings().drainMs,
        onFault: (error) => report(String(error)),
      });
      fronts.add(front);
      void front.ended.then(() => fronts.delete(front));
      return front;
    },
    async reload(next) {
      await sources.apply(next);
      const before = current;
      current = next;
      upstreams.apply(next);
      catalog.apply({ manifest: next, tools: sources.tools(), extra: sources.extra() });
      offer();
      return needingRestart(before, next);
    },
    close: (limitMs = settings().drainMs) => (closing ??= closeAll(limitMs)),
  };
}

/** After everything was answered: for answers still on their way. */
const closeGraceMs = 500;
const longestRetirementMs = 600_000;

function longestCallMs(service: ToolExecutionService): number {
  const limits = service.tools.map(({ name }) => service.getToolSettings(name)?.timeoutMs ?? 0);
  return Math.min(Math.max(0, ...limits) + 1_000, longestRetirementMs);
}

function addressOf({ listen }: GatewayEntry, { host, port }: ListenOptions): Pick<HttpShellOptions, 'listen'> {
  if (listen.path !== undefined && host === undefined && port === undefined) return { listen: { path: listen.path } };
  return { listen: { host: host ?? listen.host, port: port ?? listen.port } };
}
