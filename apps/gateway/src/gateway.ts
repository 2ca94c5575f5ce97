/**
 * Owns the lifecycle of a gateway: listening, reload, drain, close.
 *
 * Invariants
 * 1. Every accepted request is answered, with an error if it does not end within the drain limit.
 * 2. A failed reload changes nothing.
 * 3. After `close`, no process, socket or timer of the gateway is left.
 */
import type { Readable, Writable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { profiles, type ToolExecutionService } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { describeError } from '@holdfast/core/internal';
import type { GatewayEntry, Manifest } from '@holdfast/manifest';
import { createPrometheusHandler } from '@holdfast/telemetry/prometheus';
import { type Front, httpFront, stdioFront, type StdioFront } from '@holdfast/mcp-wire/server';
import { answerHealth } from './api/health.ts';
import type { HealthParts } from './api/parts.ts';
import { createDashboard, type DashboardOptions } from './dashboard/dashboard.ts';
import { isDashboard } from './dashboard/paths.ts';
import { listenHttp } from './http/http-shell.ts';
import type { HttpShell, HttpShellOptions } from './http/options.ts';
import { once } from './plain/once.ts';
import { createPathRouter } from './composition/path-router.ts';
import { settingsNeedingRestart } from './composition/restart-settings.ts';
import { compose } from './composition/compose.ts';
import { accessTokens } from './http/token-values.ts';
import type { UpstreamStatus } from './upstreams/upstream.ts';

/** Settings of a gateway in addition to its manifest. */
export interface GatewayOptions {
  /** Stores the trace. @default none: only running turns and calls are known */
  readonly store?: Store | undefined;
  /** Starts with closed circuits instead of those in the store. @default false */
  readonly fresh?: boolean | undefined;
  /** Overrides `gateway.log` of the manifest. */
  readonly log?: GatewayEntry['log'] | undefined;
  /** The dashboard that is served at `/`. @default none */
  readonly dashboard?: DashboardOptions | undefined;
  /** Token that allows control of circuits and alerts if the manifest has no tokens. @default none: no client may act */
  readonly operatorToken?: string | undefined;
  /** Writes the lines of the log. @default standard error */
  readonly write?: ((text: string) => void) | undefined;
  /** Called with a sentence for the operator, without secrets, about an error that affected no answer. */
  readonly onFault?: ((text: string) => void) | undefined;
}

/** Overrides the listen address of the manifest. */
export interface ListenOptions {
  /** Overrides the host of the manifest. */
  readonly host?: string | undefined;
  /** Overrides the port of the manifest. 0: any free port. */
  readonly port?: number | undefined;
}

/** A running gateway, created by `createGateway`. */
export interface Gateway {
  /** Runs the calls of all clients, with the tools of the manifest and of its servers. */
  readonly service: ToolExecutionService;
  /** Resolves when every server has listed its tools once, or the time limit for that is over. */
  ready(): Promise<void>;
  /** Returns the state of the servers behind the gateway. */
  upstreams(): readonly UpstreamStatus[];
  /** Listens for HTTP: `/mcp`, the Turn API, the model proxy. Rejects if it cannot listen there, or must not without a token. */
  listen(options?: ListenOptions): Promise<HttpShell>;
  /** Serves one client over stdio. */
  stdio(input: Readable, output: Writable): StdioFront;
  /** Applies another manifest; returns the settings that take effect only after a restart. Rejects if it cannot be applied; then nothing has changed. */
  reload(manifest: Manifest): Promise<readonly string[]>;
  /** Accepts no new work, waits for what runs within the limit, saves all state, ends every process. @default `drain_ms` of the manifest */
  close(limitMs?: number): Promise<void>;
}

/** Time for writing the last answers. */
const closeGraceMs = 500;

/** Time for deliveries in progress; the others are sent after the next start. */
const maxNotifyMs = 2_000;

/** Rejects if it cannot start, for example because the lock file cannot be read. */
export async function createGateway(manifest: Manifest, options: GatewayOptions = {}): Promise<Gateway> {
  const { store, log, write, onFault, fresh = false, dashboard, operatorToken } = options;
  let current = manifest;
  let isDraining = false;
  let closing: Promise<void> | undefined;
  const fronts = new Set<Front>();
  const shells: HttpShell[] = [];
  const composition = await compose({
    store,
    log,
    write,
    onFault,
    current: () => current,
    address: () => shells[0]?.url,
    publish: (method, params) => {
      for (const front of fronts) front.publish(method, params);
    },
  });
  const { service, metrics, alerts, history, operation, upstreams, catalog, calls, relay, methods: face, redact, report } = composition;
  const reportError = (error: unknown): void => report(describeError(error).message);
  if (!fresh) await service.restore();
  composition.begin();
  upstreams.connect();

  const health: HealthParts = {
    store,
    upstreams: () => upstreams.status().map(({ name, ...status }) => ({ name, status })),
    isDraining: () => isDraining,
    redact,
  };
  const api = once(async () => {
    const { createApi } = await import('./api/index.ts');
    const { bodyBytes, inFlight, subscriptions } = current.gateway.limits;
    const limits = { bodyBytes, runningCalls: inFlight, streams: subscriptions };
    const needsToken = current.gateway.tokens.length > 0;
    const { announce } = operation;
    const { restate } = manifest.engine ?? {};
    const engine = restate && (await (await import('./engine/restate-engine.ts')).restateEngine(restate));
    const turnTimeoutMs = { ...profiles[manifest.profile].turn, ...manifest.turn }.timeoutMs ?? Infinity;
    return createApi({
      ...health,
      tail: composition.tail,
      service,
      store,
      catalog,
      alerts,
      past: history,
      announce,
      metrics: scrape,
      needsToken,
      limits,
      engine,
      turnTimeoutMs,
    });
  });
  const scrape = createPrometheusHandler({ metrics });
  const models = once(async () => {
    const { createModelProxy } = await import('./model-proxy/index.ts');
    return createModelProxy({ models: current.gateway.models, redact, onReport: operation.modelReport });
  });

  const closeAll = async (limitMs: number): Promise<void> => {
    isDraining = true;
    const loaded = await api.made()?.catch(() => undefined);
    await Promise.allSettled([...[...fronts].map((front) => front.close(limitMs)), loaded?.drain(limitMs)]);
    await Promise.allSettled(shells.map((shell) => shell.close(closeGraceMs)));
    await Promise.allSettled([calls.close(), catalog.close(), models.made()?.then((proxy) => proxy.close())]);
    relay.close();
    await alerts.close(Math.min(limitMs, maxNotifyMs));
    await service.close();
    await history.close();
    await composition.tail?.close();
    await composition.close();
  };

  return {
    service,
    ready: () => catalog.ready(),
    upstreams: () => upstreams.status(),
    async listen(at = {}) {
      const { gateway } = current;
      const front = httpFront(face, { limits: gateway.limits, onFault: reportError });
      const shell = await listenHttp({
        ...addressOf(gateway, at),
        tokens: accessTokens(gateway.tokens),
        operatorToken,
        isPublic: dashboard === undefined ? undefined : isDashboard,
        allowedHosts: gateway.allowedHosts,
        allowedOrigins: gateway.allowedOrigins,
        limits: gateway.limits,
        mcp: (request, response, caller) => front.handle(request, response, caller),
        rest: createPathRouter({
          metrics: scrape,
          health: (request) => answerHealth(request, health),
          dashboard: dashboard && createDashboard(dashboard),
          api: api.get,
          models: models.get,
        }),
        onFault: reportError,
      });
      fronts.add(front);
      shells.push(shell);
      return shell;
    },
    stdio(input, output) {
      const { limits, drainMs } = current.gateway;
      const front = stdioFront(face, { input, output, inFlight: limits.inFlight, drainMs, onFault: reportError });
      fronts.add(front);
      void front.ended.then(() => fronts.delete(front));
      return front;
    },
    async reload(next) {
      const before = current;
      await composition.apply(next, () => {
        current = next;
      });
      if (!isDeepStrictEqual(before.alerts, next.alerts)) alerts.apply(next.alerts);
      return settingsNeedingRestart(before, next);
    },
    close: (limitMs = current.gateway.drainMs) => (closing ??= closeAll(limitMs)),
  };
}

function addressOf({ listen }: GatewayEntry, { host, port }: ListenOptions): Pick<HttpShellOptions, 'listen'> {
  if (listen.path !== undefined && host === undefined && port === undefined) return { listen: { path: listen.path } };
  return { listen: { host: host ?? listen.host, port: port ?? listen.port } };
}
