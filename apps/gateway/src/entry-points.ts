/**
 * Owns the entry points of a gateway: HTTP with everything it serves, and stdio. The Turn API and the model proxy are loaded by their first request.
 *
 * Invariant: every accepted request is answered; one that does not end within the drain limit gets an error.
 */
import { checkOptions } from '@holdfast/core/internal/plain';
import { listenFields } from './composition/option-fields.ts';
import type { Readable, Writable } from 'node:stream';
import { profiles } from '@holdfast/core';
import { describeError } from '@holdfast/core/internal';
import type { Store } from '@holdfast/core/store';
import type { GatewayEntry, Manifest } from '@holdfast/manifest';
import {
  type ConnectedClient,
  type ServerTransport,
  httpTransport,
  type JsonObject,
  stdioTransport,
  type StdioTransport,
} from '@holdfast/mcp-wire/server';
import { createPrometheusHandler } from '@holdfast/telemetry/prometheus';
import { answerHealth } from './api/health.ts';
import type { createApi } from './api/api.ts';
import type { Api, HealthParts } from './api/parts.ts';
import type { Composition } from './composition/compose.ts';
import { createPathRouter, type PathRouter } from './composition/path-router.ts';
import { createDashboard, type DashboardOptions } from './dashboard/dashboard.ts';
import { isDashboard } from './dashboard/paths.ts';
import { checkFree, checkReachable } from './http/check-address.ts';
import { listenHttp } from './http/http-shell.ts';
import type { HttpShell, HttpShellOptions, ReloadableShell } from './http/options.ts';
import { accessTokens } from './http/token-values.ts';
import { isLoginPath } from './server-logins/browser-address.ts';
import { sessionKey } from './composition/session-key.ts';
import type { ModelProxy } from './model-proxy/settings.ts';
import { once } from './plain/once.ts';

/** Where the gateway listens for HTTP. */
export interface ListenOptions {
  /** In place of the manifest's. */
  readonly host?: string | undefined;
  /** In place of the manifest's; 0 takes a free port. */
  readonly port?: number | undefined;
}

export interface WaysInOptions {
  readonly store: Store | undefined;
  readonly dashboard: DashboardOptions | undefined;
  readonly operatorToken: string | undefined;
  /** The manifest in force: a reload changes it. */
  readonly current: () => Manifest;
}

/** A browser that comes back from a login has no token. */
const isOpenLoginPath = (method: string, path: string): boolean => (method === 'GET' || method === 'HEAD') && isLoginPath(path);

/** After everything was answered: for answers still on their way. */
const closeGraceMs = 500;

export class WaysIn {
  readonly #composition: Composition;
  readonly #options: WaysInOptions;
  readonly #health: HealthParts;
  readonly #scrape: (request: Request) => Response;
  readonly #api = once(() => this.#loadApi());
  readonly #models = once(() => this.#loadModels());
  readonly #transports = new Set<ServerTransport>();
  readonly #shells: ReloadableShell[] = [];
  /** Of the start: the engine and the deadline of turns need a restart. */
  readonly #manifest: Manifest;
  readonly #fault = (error: unknown): void => this.#composition.report(describeError(error).message);
  #isDraining = false;

  constructor(composition: Composition, options: WaysInOptions) {
    const { upstreamStatus, metrics, redact } = composition;
    this.#composition = composition;
    this.#options = options;
    this.#manifest = options.current();
    this.#scrape = createPrometheusHandler({ metrics });
    this.#health = {
      store: options.store,
      upstreams: () => upstreamStatus().map(({ name, ...status }) => ({ name, status })),
      isDraining: () => this.#isDraining,
      redact,
    };
  }

  /** Of the first HTTP way in. */
  get url(): string | undefined {
    return this.#shells[0]?.url;
  }

  /** Tells all clients. */
  publish(method: string, params: JsonObject, isFor?: (client: ConnectedClient) => boolean): void {
    for (const transport of this.#transports) transport.publish(method, params, isFor);
  }

  /** Returns a function that puts the tokens and logins of another manifest in force. @throws TypeError if they cannot be */
  prepare({ gateway }: Manifest): () => void {
    const tokens = accessTokens(gateway.tokens);
    const ready = this.#shells.map((shell) => shell.prepare(tokens, gateway));
    return () => {
      for (const apply of ready) apply();
    };
  }

  async listen(at: ListenOptions): Promise<HttpShell> {
    checkOptions(listenFields, at, 'listen');
    const { gateway } = this.#options.current();
    const { dashboard, operatorToken } = this.#options;
    const { bodyBytes, sessions, sessionIdleMs, subscriptions, inFlight } = gateway.limits;
    const limits = { bodyBytes, sessions, sessionIdleMs, subscriptions, inFlight };
    const key = await sessionKey(this.#options.current(), this.#composition.report);
    const transport = httpTransport(this.#composition.methods, { limits, onFault: this.#fault, sessionKey: key });
    const { enterTrace } = this.#composition;
    const answer = this.#pathRouter();
    const shell = await listenHttp({
      ...addressOf(gateway, at),
      rules: this.#composition.access,
      entry: gateway,
      tokens: accessTokens(gateway.tokens),
      operatorToken,
      isPublic: (method, path) => isOpenLoginPath(method, path) || (dashboard !== undefined && isDashboard(method, path)),
      allowedHosts: gateway.allowedHosts,
      allowedOrigins: gateway.allowedOrigins,
      limits: gateway.limits,
      mcp: (request, response, caller) => enterTrace(request.headers, () => transport.handle(request, response, caller)),
      retain: transport.retain,
      rest: (request, caller) => enterTrace(Object.fromEntries(request.headers), () => answer(request, caller)),
      onFault: this.#fault,
    });
    this.#transports.add(transport);
    this.#shells.push(shell);
    return shell;
  }

  stdio(input: Readable, output: Writable): StdioTransport {
    const { limits, drainMs } = this.#options.current().gateway;
    const transport = stdioTransport(this.#composition.methods, {
      input,
      output,
      inFlight: limits.inFlight,
      drainMs,
      onFault: this.#fault,
    });
    this.#transports.add(transport);
    void transport.ended.then(() => this.#transports.delete(transport));
    return transport;
  }

  /** Takes nothing new, and lets run what runs within the limit. Never rejects. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    const api = await this.#api.made()?.catch(() => undefined);
    await Promise.allSettled([...[...this.#transports].map((transport) => transport.close(limitMs)), api?.drain(limitMs)]);
  }

  /** Ends connections, and what requests have loaded. */
  async close(): Promise<void> {
    await Promise.allSettled([
      ...this.#shells.map((shell) => shell.close(closeGraceMs)),
      this.#models.made()?.then((proxy) => proxy.close()),
    ]);
  }

  #pathRouter(): PathRouter {
    const { dashboard } = this.#options;
    return createPathRouter({
      metrics: this.#scrape,
      health: (request) => answerHealth(request, this.#health),
      dashboard: dashboard && createDashboard(dashboard),
      logins: (request, target) => this.#composition.logins.fetch(request, target),
      api: this.#api.get,
      models: this.#models.get,
    });
  }

  async #loadApi(): Promise<Api> {
    const create = await loadApi();
    const { gateway } = this.#options.current();
    const { bodyBytes, inFlight, subscriptions } = gateway.limits;
    const { service, tail, catalog, alerts, history, operation, logins, clientCircuits } = this.#composition;
    const { engine, profile, turn } = this.#manifest;
    const restate = engine?.restate;
    return create({
      ...this.#health,
      tail,
      service,
      store: this.#options.store,
      catalog,
      circuits: clientCircuits,
      alerts,
      past: history,
      logins,
      announce: operation.announce,
      metrics: this.#scrape,
      needsToken: gateway.tokens.length > 0 || gateway.auth !== undefined,
      limits: { bodyBytes, runningCalls: inFlight, streams: subscriptions },
      engine: restate && (await (await import('./engine/restate-engine.ts')).restateEngine(restate)),
      turnTimeoutMs: { ...profiles[profile].turn, ...turn }.timeoutMs ?? Infinity,
    });
  }

  async #loadModels(): Promise<ModelProxy> {
    const { createModelProxy } = await import('./model-proxy/model-proxy.ts');
    const { service, redact, operation } = this.#composition;
    return createModelProxy({ models: this.#options.current().gateway.models, redact, service, onReport: operation.modelReport });
  }
}

/** Part by part: each takes tens of milliseconds, and others are served between them. */
async function loadApi(): Promise<typeof createApi> {
  for (const load of [
    () => import('zod'),
    () => import('@hono/zod-openapi'),
    () => import('./api/schemas/turns.ts'),
    () => import('./api/application.ts'),
  ]) {
    await new Promise((resolve) => setImmediate(resolve));
    await load();
  }
  await new Promise((resolve) => setImmediate(resolve));
  return (await import('./api/api.ts')).createApi;
}

/** Rejects if a gateway may not or cannot listen there. To be asked before servers are started. */
export async function checkAddress(gateway: GatewayEntry, at: ListenOptions): Promise<void> {
  const { listen } = addressOf(gateway, at);
  const tokens = accessTokens(gateway.tokens);
  checkReachable(listen, tokens, tokens.length > 0 || gateway.auth !== undefined);
  await checkFree(listen);
}

function addressOf({ listen }: GatewayEntry, { host, port }: ListenOptions): Pick<HttpShellOptions, 'listen'> {
  if (listen.path !== undefined && host === undefined && port === undefined) return { listen: { path: listen.path } };
  return { listen: { host: host ?? listen.host, port: port ?? listen.port } };
}
