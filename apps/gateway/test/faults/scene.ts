/** Owns the scene of the fault tests: a gateway with short limits, a normal server, a hostile server, and a client. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectHttp, type HttpClient, type HttpClientOptions } from '../fixtures/client/http-client.ts';
import { textOf, type JsonObject, type ToolAnswer } from '../fixtures/client/raw-client.ts';
import { startGateway, type GatewayInProcess, type ManifestWords } from '../fixtures/gateway.ts';
import { openServerLog, type ServerLog } from '../fixtures/hostile/server-log.ts';
import { programServer } from '../fixtures/manifests.ts';
import { hostileProgram } from '../fixtures/programs.ts';

/** Time limit of one attempt. */
export const attemptMs = 800;
export const attempts = 3;
/** Every call is answered by then, whatever its server does; includes time for a busy machine. */
export const deadlineMs = attempts * (attemptMs + 200) + 6_000;

export const quick: ManifestWords = {
  timeout_ms: attemptMs,
  retry_policy: { strategy: 'constant_backoff', initial_delay_ms: 20, max_attempts: attempts, max_total_time_ms: 20_000, jitter: 'none' },
};

export interface Scene extends AsyncDisposable {
  readonly gateway: GatewayInProcess;
  readonly client: HttpClient;
  /** The log of the hostile server. */
  readonly serverLog: ServerLog;
  /** Another client of the same gateway. */
  connect(options?: HttpClientOptions): Promise<HttpClient>;
}

export interface SceneOptions {
  /** Replaces the hostile program. */
  readonly bad?: ManifestWords;
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly defaults?: ManifestWords;
  readonly gateway?: ManifestWords;
  readonly client?: HttpClientOptions;
}

/** Returns the path for a new log. */
export const newLogPath = async (): Promise<string> => join(await mkdtemp(join(tmpdir(), 'holdfast-faults-')), 'server.log');

export async function openScene({
  bad,
  environment,
  defaults,
  gateway: gatewayWords,
  client: clientOptions,
}: SceneOptions = {}): Promise<Scene> {
  const path = await newLogPath();
  const hostile = {
    ...programServer(hostileProgram, { HOSTILE_LOG: path, ...environment } as never),
    restart_delay_ms: 10,
    max_restart_delay_ms: 50,
    grace_ms: 200,
  };
  const gateway = await startGateway({
    defaults: { ...quick, ...defaults },
    mcp_servers: { good: programServer(hostileProgram), bad: { ...hostile, ...bad } },
    gateway: { reload: false, tool_lock: 'off', ...gatewayWords },
  });
  const clients: HttpClient[] = [];
  const connect: Scene['connect'] = async (options) => {
    const client = await connectHttp(gateway.url, options);
    clients.push(client);
    return client;
  };
  return {
    gateway,
    client: await connect(clientOptions),
    serverLog: openServerLog(path),
    connect,
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

/** The gateway's description of a failed call. */
export interface Failure {
  readonly code: string;
  readonly classification: string;
  readonly attempts: number;
  readonly retryable?: boolean;
  readonly ambiguous?: boolean;
  readonly retryAfterMs?: number;
  readonly circuit?: string;
  readonly text: string;
}

export function failureOf(answer: ToolAnswer): Failure {
  const failure = answer._meta?.['dev.holdfast/error'];
  if (answer.isError !== true || !failure) throw new Error(`The call did not fail as expected: ${JSON.stringify(answer).slice(0, 2_000)}`);
  return { ...(failure as unknown as Failure), text: textOf(answer) };
}

/** Calls a tool and returns its failure. */
export async function failed(client: HttpClient, tool: string, values: JsonObject = {}): Promise<Failure> {
  return failureOf(await client.call(tool, values, { limitMs: deadlineMs }));
}
