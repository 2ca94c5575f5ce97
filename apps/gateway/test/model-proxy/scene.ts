/** A client's SDK, the proxy behind a real server, and a provider whose traffic is recorded. */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRedactor } from '@holdfast/core';
import type { ModelEntry, ModelProvider } from '@holdfast/manifest';
import { type ProviderDouble, type ProviderDoubleOptions, startProviderDouble } from '@holdfast/provider-double';
import { createModelProxy } from '../../src/model-proxy/model-proxy.ts';
import type { ModelProxy, ModelProxySettings, ModelReport } from '../../src/model-proxy/settings.ts';
import { listenHttp } from '../../src/http/http-shell.ts';
import { createPathRouter } from '../../src/composition/path-router.ts';

export const configuredKey = 'sk-configured-0123456789abcdef';
export const clientKey = 'sk-of-the-client-fedcba9876543210';

/** A request as received by the provider. */
interface Arrival {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Listening {
  readonly url: string;
  readonly server: Server;
  readonly close: () => Promise<void>;
}

export async function listening(server: Server): Promise<Listening> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Forwards everything and keeps a copy. */
async function wiretap(target: string, arrivals: Arrival[]): Promise<Listening> {
  const { hostname, port } = new URL(target);
  return listening(
    createServer((incoming, outgoing) => {
      const { method = 'GET', url = '/', headers } = incoming;
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      const onward = httpRequest({ hostname, port, method, path: url, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
        answer.on('close', () => (answer.complete ? undefined : outgoing.destroy()));
      });
      onward.on('error', () => outgoing.destroy());
      outgoing.on('close', () => (outgoing.writableFinished ? undefined : onward.destroy()));
      incoming.on('end', () => arrivals.push({ method, url, headers, body: Buffer.concat(pieces).toString('utf8') }));
      incoming.pipe(onward);
    }),
  );
}

export interface Scene {
  readonly double: ProviderDouble;
  readonly proxy: ModelProxy;
  /** URL of the gateway. */
  readonly url: string;
  /** URL of the provider. */
  readonly providerUrl: string;
  readonly arrivals: readonly Arrival[];
  readonly reports: readonly ModelReport[];
  readonly close: () => Promise<void>;
}

export interface SceneOptions {
  readonly script?: ProviderDoubleOptions['script'];
  readonly backend?: ProviderDoubleOptions['profile'];
  readonly entry?: Partial<ModelEntry>;
  readonly settings?: Partial<ModelProxySettings>;
  /** Replaces the provider double. */
  readonly provider?: Listening;
}

export const entryOf = (baseUrl: string, entry: Partial<ModelEntry> = {}): ModelEntry => ({
  baseUrl,
  headers: {},
  repair: true,
  validate: true,
  apiKey: { env: 'HOLDFAST_TEST_MODEL_KEY' },
  ...entry,
});

export interface RunningProxy {
  readonly url: string;
  readonly proxy: ModelProxy;
  readonly close: () => Promise<void>;
}

/** Starts the proxy behind the gateway's own server. */
export async function gatewayOf(settings: ModelProxySettings): Promise<RunningProxy> {
  const proxy = createModelProxy(settings);
  const rest = createPathRouter({
    metrics: () => new Response(''),
    health: () => undefined,
    dashboard: undefined,
    api: () => Promise.reject(new Error('not used')),
    logins: () => Promise.resolve(new Response('logins')),
    models: () => Promise.resolve(proxy),
  });
  const shell = await listenHttp({ listen: { host: '127.0.0.1', port: 0 }, mcp: () => undefined, rest });
  const close = async (): Promise<void> => {
    await proxy.close();
    await shell.close(0);
  };
  return { url: shell.url, proxy, close };
}

export async function scene({ script = [], backend, entry, settings, provider }: SceneOptions): Promise<Scene> {
  process.env['HOLDFAST_TEST_MODEL_KEY'] = configuredKey;
  const double = await startProviderDouble({ script, ...(backend === undefined ? {} : { profile: backend }) });
  const arrivals: Arrival[] = [];
  const reports: ModelReport[] = [];
  const tap = await wiretap(provider?.url ?? double.url, arrivals);
  const models: Readonly<Record<ModelProvider, ModelEntry>> = {
    openai: entryOf(`${tap.url}/v1`, entry),
    anthropic: entryOf(tap.url, entry),
    gemini: entryOf(tap.url, entry),
  };
  const gateway = await gatewayOf({
    models,
    redact: createRedactor({ secrets: [configuredKey] }),
    onReport: (report) => reports.push(report),
    ...settings,
  });
  return {
    double,
    proxy: gateway.proxy,
    url: gateway.url,
    providerUrl: tap.url,
    arrivals,
    reports,
    close: async () => {
      await gateway.close();
      await Promise.all([tap.close(), double.close(), provider?.close()]);
    },
  };
}

/** A provider that accepts every request. */
export const ok: Answer = (incoming, outgoing) => {
  incoming.resume();
  incoming.on('end', () => outgoing.setHeader('content-type', 'application/json').end('{"ok":true}'));
};

export type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** A scene with a custom provider. */
export const sceneWith = async (answer: Answer, options: Omit<SceneOptions, 'provider'> = {}): Promise<Scene> =>
  scene({ ...options, provider: await listening(createServer(answer)) });
