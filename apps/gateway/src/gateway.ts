/**
 * Owns the life of a gateway: its ways in, reload, drain, close.
 *
 * Invariants
 * 1. A request that was taken is answered; what does not end within the drain limit is answered with an error.
 * 2. A reload that fails has changed nothing.
 * 3. After `close` no process, socket or timer of the gateway is left.
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

/** Settings of a gateway beside its manifest. */
export interface GatewayOptions {
  /** Where the trace goes. @default none: only what runs now is known */
  readonly store?: Store | undefined;
  /** Begins with closed circuits, whatever the store remembers. @default false */
  readonly fresh?: boolean | undefined;
  /** In place of the manifest's `gateway.log`. */
  readonly log?: GatewayEntry['log'] | undefined;
  /** What is served at `/`. @default nothing */
  readonly dashboard?: DashboardOptions | undefined;
  /** Lets its bearer act on circuits and alerts where the manifest has no tokens. @default nobody may without tokens */
  readonly operatorToken?: string | undefined;
  /** Takes the lines of the log. @default standard error */
  readonly write?: ((text: string) => void) | undefined;
  /** What went wrong without hurting an answer, in a sentence for the operator; without secrets. */
  readonly onFault?: ((text: string) => void) | undefined;
}

/** Where to listen in place of the address in the manifest. */
export interface ListenOptions {
  /** In place of the manifest's. */
  readonly host?: string | undefined;
  /** In place of the manifest's. 0: any free port. */
  readonly port?: number | undefined;
}

/** A running gateway, made by `createGateway`. */
export interface Gateway {
  /** Runs the calls of all clients, with the tools of the manifest and of its servers. */
  readonly service: ToolExecutionService;
  /** Resolves when every server was asked for its tools once, or the first wait for them is over. */
  ready(): Promise<void>;
  /** The servers behind the gateway, and how they are. */
  upstreams(): readonly UpstreamStatus[];
  /** Opens the HTTP way in: `/mcp`, the Turn API, the models. Rejects where it must not or cannot listen there. */
  listen(options?: ListenOptions): Promise<HttpShell>;
  /** Opens a stdio way in. */
  stdio(input: Readable, output: Writable): StdioFront;
  /** Puts another manifest in force; answers the settings that only count from the next start. Rejects when it cannot be used; nothing has changed then. */
  reload(manifest: Manifest): Promise<readonly string[]>;
  /** Takes nothing new, lets run what runs within the limit, keeps everything that is known, ends every process. @default the manifest's `drain_ms` */
  close(limitMs?: number): Promise<void>;
}

/** After everything was answered: for answers still on their way. */
const closeGraceMs = 500;

/** For notifications on their way; what is not told by then is told after the next start. */
const longestTellingMs = 2_000;

/** Rejects with what stands in the way, such as a lock file that cannot be read. */
export async function createGateway(manifest: Manifest, options: GatewayOptions = {}): Promise<Gateway> {
  const { store, log, write, onFault, fresh = false, dashboard, operatorToken } = options;
  let current = manifest;
  let isDraining = false;
  let closing: Promise<void> | undefined;
  const fronts = new Set<Front>();
  const shells: HttpShell[] = [];
  const rooms = await compose({
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
  const { service, metrics, alerts, history, operation, upstreams, catalog, calls, relay, methods: face, redact, report } = rooms;
  const reportError = (error: unknown): void => report(describeError(error).message);
  if (!fresh) await service.restore();
  rooms.begin();
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
      tail: rooms.tail,
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
    await alerts.close(Math.min(limitMs, longestTellingMs));
    await service.close();
    await history.close();
    await rooms.tail?.close();
    await rooms.close();
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
      await rooms.apply(next, () => {
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
