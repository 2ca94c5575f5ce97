/**
 * Owns the life cycle of a gateway: start, reload, drain, close. Does not own its entry points (`entry-points.ts`).
 *
 * Invariants
 * 1. A request that was taken is answered; what does not end within the drain limit is answered with an error.
 * 2. A reload that fails has changed nothing.
 * 3. After `close` no process, socket or timer of the gateway is left.
 */
import { checkOptions, refuse, type Fields, type Rule, waitAtMost } from '@holdfast/core/internal/plain';
import { runtimeFields } from './composition/option-fields.ts';
import type { Readable, Writable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { ToolExecutionService } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import type { GatewayEntry, Manifest } from '@holdfast/manifest';
import type { StdioTransport } from '@holdfast/mcp-wire/server';
import { compose, type Composition } from './composition/compose.ts';
import { settingsNeedingRestart } from './composition/restart-settings.ts';
import type { DashboardOptions } from './dashboard/dashboard.ts';
import type { HttpShell } from './http/options.ts';
import type { UpstreamStatus } from './upstreams/upstream.ts';
import { type ListenOptions, WaysIn } from './entry-points.ts';

/** Settings of a gateway beside its manifest. */
export interface GatewayOptions {
  /** Where the trace goes. @default none: only what runs now is known */
  readonly store?: Store | undefined;
  /** Begins with closed circuits, whatever the store remembers. @default false */
  readonly fresh?: boolean | undefined;
  /** In place of the manifest's `gateway.log`. */
  readonly log?: GatewayEntry['log'] | undefined;
  /** The manifest whose store has the logins at servers. @default the manifest of the gateway */
  readonly credentialsOf?: Pick<Manifest, 'store' | 'folder'> | undefined;
  /** Whether the tools of new servers are recorded in the lock file. @default true */
  readonly recordTools?: boolean | undefined;
  /** What is served at `/`. @default nothing */
  readonly dashboard?: DashboardOptions | undefined;
  /** Lets its bearer control circuits and alerts when the manifest has no tokens. @default without tokens, no client may */
  readonly operatorToken?: string | undefined;
  /** Takes the lines of the log. @default standard error */
  readonly write?: ((text: string) => void) | undefined;
  /** What went wrong without hurting an answer, in a sentence for the operator; without secrets. */
  readonly onFault?: ((text: string) => void) | undefined;
}

/** A running gateway: the service behind it, and the ways to serve and stop it. */
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
  stdio(input: Readable, output: Writable): StdioTransport;
  /** Puts another manifest in force; answers the settings that only count from the next start. Rejects when it cannot be used; nothing has changed then. */
  reload(manifest: Manifest): Promise<readonly string[]>;
  /** Takes nothing new, lets run what runs within the limit, keeps everything that is known, ends every process. @default the manifest's `drain_ms` */
  close(limitMs?: number): Promise<void>;
}

/** For notifications that are being sent. The rest is sent after the next start. */
const maxNotifyMs = 1_500;
/** For a server to end, and for each part to close, when calls have used up most of the time. */
const hurried = { graceMs: 400, partMs: 500 };
const unhurried = { graceMs: undefined, partMs: 5_000 };

/** A secret: no message shows it. */
const tokenRule: Rule = (value, field) => {
  if (typeof value !== 'string' || value === '') refuse(field, typeof value, 'a non-empty string', '');
};

const gatewayFields: Fields = {
  ...runtimeFields,
  onFault: 'function',
  credentialsOf: 'object',
  recordTools: 'boolean',
  dashboard: { folder: 'string' },
  operatorToken: tokenRule,
};

/** Creates a gateway. Rejects when it cannot start, for example because a lock file cannot be read. */
export async function createGateway(manifest: Manifest, options: GatewayOptions = {}): Promise<Gateway> {
  checkOptions(gatewayFields, options, 'createGateway');
  const { store, log, write, onFault, credentialsOf, recordTools, fresh = false, dashboard, operatorToken } = options;
  let current = manifest;
  /** Filled below: the composition needs the address and the clients before they exist. */
  const opened: { ways?: WaysIn } = {};
  let closing: Promise<void> | undefined;
  const composition = await compose({
    store,
    log,
    write,
    onFault,
    credentialsOf,
    recordTools,
    current: () => current,
    address: () => opened.ways?.url,
    hasDashboard: dashboard !== undefined,
    publish: (method, params, isFor) => opened.ways?.publish(method, params, isFor),
  });
  const { service, alerts, upstreams, catalog } = composition;
  if (!fresh) await service.restore();
  composition.begin();
  upstreams.connect();
  const ways = new WaysIn(composition, { store, dashboard, operatorToken, current: () => current });
  opened.ways = ways;

  return {
    service,
    ready: () => catalog.ready(),
    upstreams: () => composition.upstreamStatus(),
    listen: (at = {}) => ways.listen(at),
    stdio: (input, output) => ways.stdio(input, output),
    async reload(next) {
      const before = current;
      const applyTokens = ways.prepare(next);
      await composition.apply(next, () => {
        current = next;
      });
      composition.access.apply(next.gateway);
      applyTokens();
      if (!isDeepStrictEqual(before.alerts, next.alerts)) alerts.apply(next.alerts);
      return settingsNeedingRestart(before, next);
    },
    close: (limitMs = current.gateway.drainMs) => (closing ??= closeAll(composition, ways, limitMs)),
  };
}

/**
 * Closes from the outside in. When calls have ended, nothing uses the servers, and the other parts close while the servers end. If calls have taken their time,
 * servers get less of it, because a supervisor kills the process soon after its signal.
 */
async function closeAll(composition: Composition, ways: WaysIn, limitMs: number): Promise<void> {
  const { service, alerts, history, catalog, calls, relay, tail, upstreams, report } = composition;
  const began = performance.now();
  await ways.drain(limitMs);
  const { graceMs, partMs } = limitMs > 0 && performance.now() - began > limitMs / 2 ? hurried : unhurried;
  const servers = upstreams.close(graceMs);
  const inTime = async (what: string, closing: Promise<unknown> | undefined): Promise<void> => {
    const closed = Promise.resolve(closing).then(() => true);
    if ((await waitAtMost(globalThis, closed, partMs)) === undefined) report(`Shutdown: ${what} did not close within ${partMs} ms.`);
  };
  await Promise.allSettled([
    calls.close(),
    catalog.close(),
    ways.close(),
    alerts.close(Math.min(limitMs, maxNotifyMs)),
    inTime('the service', service.close()),
  ]);
  relay.close();
  await Promise.allSettled([inTime('the history', history.close()), inTime('the tail of the store', tail?.close())]);
  await servers.catch(() => undefined);
  await inTime('a tool or exporter', composition.close());
}
