/** Owns one run of the gateway as a program: from a loaded manifest to the exit code. */
import type { Readable, Writable } from 'node:stream';
import type { Store } from '@holdfast/core/store';
import type { GatewayEntry, Manifest } from '@holdfast/manifest';
import { installedDashboard } from './dashboard/installed.ts';
import { dashboardAddress, operatorToken } from './dashboard/operator-token.ts';
import { createGateway } from './gateway.ts';
import { type ManifestWatch, watchManifest } from './composition/watch-manifest.ts';

/** Addresses of the dashboard. */
export interface DashboardInfo {
  /** Address without a token. */
  readonly url: string;
  /** The same, with the token in it that lets its bearer act: for the terminal that started the gateway, and for no log. */
  readonly operatorUrl: string;
}

/** How the gateway can be reached. */
export interface ReadyInfo {
  /** Of the HTTP way in, such as `http://127.0.0.1:7340`; `undefined` with stdio alone. */
  readonly url: string | undefined;
  /** The gateway speaks MCP over stdio, not HTTP. */
  readonly stdio: boolean;
  /** Names of the tokens that let somebody in. */
  readonly tokens: readonly string[];
  /** Where the dashboard is; `undefined` with stdio alone, and where it is not installed. */
  readonly dashboard: DashboardInfo | undefined;
}

/** Settings of one run of the gateway as a program. */
export interface ServeOptions {
  /** Ended: the gateway drains, closes, and `serve` resolves. */
  readonly signal: AbortSignal;
  /** Speaks MCP over these streams instead of HTTP; ends when the input does. */
  readonly stdio?: { readonly input: Readable; readonly output: Writable } | undefined;
  /** Where the trace goes. @default none: no trace is kept */
  readonly store?: Store | undefined;
  /** Begins with closed circuits, whatever the store remembers. */
  readonly fresh?: boolean | undefined;
  /** In place of the manifest's `gateway.listen.host`. */
  readonly host?: string | undefined;
  /** In place of the manifest's `gateway.listen.port`. 0: any free port. */
  readonly port?: number | undefined;
  /** Overrides `gateway.log` of the manifest. */
  readonly log?: GatewayEntry['log'] | undefined;
  /** Writes the lines of the log. @default standard error */
  readonly write?: ((line: string) => void) | undefined;
  /** A sentence for the operator: faults, reloads. */
  readonly tell?: ((text: string) => void) | undefined;
  /** The manifest's path: read again on SIGHUP, and when it changes if `gateway.reload` says so. */
  readonly reloadFrom?: string | undefined;
  /** Called once when clients can connect. */
  readonly onReady?: ((info: ReadyInfo) => void) | undefined;
}

/** Resolves with 0 when everything was ended in order. Rejects where the gateway cannot start, with a sentence that says why. */
export async function serve(manifest: Manifest, options: ServeOptions): Promise<number> {
  const { signal, stdio, store, fresh, host, port, log, write, tell = () => {}, reloadFrom, onReady } = options;
  const dashboard = installedDashboard();
  const token = stdio === undefined && manifest.gateway.tokens.length === 0 ? operatorToken() : undefined;
  const gateway = await createGateway(manifest, { store, fresh, log, write, dashboard, operatorToken: token, onFault: tell });
  let watching: ManifestWatch | undefined;
  const onHangup = (): void => void watching?.reload();
  try {
    const tokens = manifest.gateway.tokens.map(({ name }) => name);
    const ended = stdio ? gateway.stdio(stdio.input, stdio.output).ended : undefined;
    const url = stdio ? undefined : (await gateway.listen({ host, port })).url;
    if (reloadFrom !== undefined) {
      watching = watchManifest({ path: reloadFrom, apply: (next) => gateway.reload(next), notify: tell, watch: manifest.gateway.reload });
      process.on('SIGHUP', onHangup);
    }
    const isPage = dashboard !== undefined && url?.startsWith('http') === true;
    onReady?.({
      url,
      stdio: stdio !== undefined,
      tokens,
      dashboard: isPage ? { url: dashboardAddress(url, undefined), operatorUrl: dashboardAddress(url, token) } : undefined,
    });
    await Promise.race([aborted(signal), ...(ended ? [ended] : [])]);
    return 0;
  } finally {
    process.off('SIGHUP', onHangup);
    watching?.stop();
    await gateway.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
