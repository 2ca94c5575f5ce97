/** Owns one run of the gateway as a program: from a loaded manifest to the exit code. */
import { checkOptions } from '@holdfast/core/internal/plain';
import { processFields } from './composition/option-fields.ts';
import type { Readable, Writable } from 'node:stream';
import type { Store } from '@holdfast/core/store';
import type { GatewayEntry, Manifest } from '@holdfast/manifest';
import { installedDashboard } from './dashboard/installed.ts';
import { dashboardAddress, operatorToken } from './dashboard/operator-token.ts';
import { checkAddress } from './entry-points.ts';
import { createGateway } from './gateway.ts';
import { type ProgramRun, untilShutdown } from './composition/until-shutdown.ts';

/** Addresses of the dashboard. */
export interface DashboardInfo {
  /** Address without a token. */
  readonly url: string;
  /** Address with the operator token, which allows acting. Print it only on the terminal, never in a log. */
  readonly operatorUrl: string;
}

/** How the gateway can be reached. */
export interface ReadyInfo {
  /** HTTP address, such as `http://127.0.0.1:7340`; `undefined` with stdio. */
  readonly url: string | undefined;
  /** The gateway speaks MCP over stdio, not HTTP. */
  readonly stdio: boolean;
  /** Names of the tokens that give access. */
  readonly tokens: readonly string[];
  /** Addresses of the dashboard; `undefined` with stdio, and if it is not installed. */
  readonly dashboard: DashboardInfo | undefined;
}

/** Settings of one run of the gateway as a program. */
export interface ServeOptions {
  /** When aborted, the gateway drains and closes, and `serve` resolves. */
  readonly signal: AbortSignal;
  /** Serves MCP over these streams instead of HTTP; ends when the input ends. */
  readonly stdio?: { readonly input: Readable; readonly output: Writable } | undefined;
  /** Stores the trace. @default none */
  readonly store?: Store | undefined;
  /** Starts with closed circuits instead of those in the store. */
  readonly fresh?: boolean | undefined;
  /** Overrides `gateway.listen.host` of the manifest. */
  readonly host?: string | undefined;
  /** Overrides `gateway.listen.port` of the manifest. 0: any free port. */
  readonly port?: number | undefined;
  /** Overrides `gateway.log` of the manifest. */
  readonly log?: GatewayEntry['log'] | undefined;
  /** Writes the lines of the log. @default standard error */
  readonly write?: ((line: string) => void) | undefined;
  /** Called with a sentence for the operator, such as a fault or a reload. */
  readonly onMessage?: ((text: string) => void) | undefined;
  /** Path of the manifest: it is read again on SIGHUP, and after a change if `gateway.reload` is set. */
  readonly reloadFrom?: string | undefined;
  /** Called once when clients can connect. */
  readonly onReady?: ((info: ReadyInfo) => void) | undefined;
}

/** Resolves with 0 after a clean shutdown. Rejects if the gateway cannot start, with the reason as a sentence. */
export async function serve(manifest: Manifest, options: ServeOptions): Promise<number> {
  checkOptions({ ...processFields, stdio: { input: 'object', output: 'object' } }, options, 'serve', ['signal']);
  const { signal, stdio, store, fresh, host, port, log, write, onMessage = () => {}, reloadFrom, onReady } = options;
  if (stdio === undefined) await checkAddress(manifest.gateway, { host, port });
  const dashboard = installedDashboard();
  const token = stdio === undefined && manifest.gateway.tokens.length === 0 ? operatorToken() : undefined;
  const gateway = await createGateway(manifest, { store, fresh, log, write, dashboard, operatorToken: token, onFault: onMessage });
  const program: ProgramRun = {
    signal,
    reloadFrom,
    watch: manifest.gateway.reload,
    apply: (next) => gateway.reload(next),
    notify: onMessage,
    close: () => gateway.close(),
  };
  await untilShutdown(program, async () => {
    const ended = stdio ? gateway.stdio(stdio.input, stdio.output).ended : undefined;
    const url = stdio ? undefined : (await gateway.listen({ host, port })).url;
    const isPage = dashboard !== undefined && url?.startsWith('http') === true;
    const info: ReadyInfo = {
      url,
      stdio: stdio !== undefined,
      tokens: manifest.gateway.tokens.map(({ name }) => name),
      dashboard: isPage ? { url: dashboardAddress(url, undefined), operatorUrl: dashboardAddress(url, token) } : undefined,
    };
    return { ended, announce: () => onReady?.(info) };
  });
  return 0;
}
