/** Owns the scene of the fault tests: a gateway with short limits, one server that behaves and one that does not, and a client that sees what comes of it. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectHttp, type HttpClient, type HttpClientOptions } from '../fixtures/client/http-client.ts';
import { textOf, type JsonObject, type ToolAnswer } from '../fixtures/client/raw-client.ts';
import { startGateway, type GatewayInProcess, type ManifestWords } from '../fixtures/gateway.ts';
import { openDiary, type Diary } from '../fixtures/hostile/diary.ts';
import { programServer } from '../fixtures/manifests.ts';
import { hostileProgram } from '../fixtures/programs.ts';

/** One attempt may take this long. */
export const attemptMs = 800;
export const attempts = 3;
/** Every call has its answer by then, whatever its server does; the rest is for a busy machine. */
export const deadlineMs = attempts * (attemptMs + 200) + 6_000;

export const quick: ManifestWords = {
  timeout_ms: attemptMs,
  retry_policy: { strategy: 'constant_backoff', initial_delay_ms: 20, max_attempts: attempts, max_total_time_ms: 20_000, jitter: 'none' },
};

export interface Scene extends AsyncDisposable {
  readonly gateway: GatewayInProcess;
  readonly client: HttpClient;
  /** Of the server that misbehaves. */
  readonly diary: Diary;
  /** Another client of the same gateway. */
  connect(options?: HttpClientOptions): Promise<HttpClient>;
}

export interface SceneOptions {
  /** The server that misbehaves, in place of the hostile program. */
  readonly bad?: ManifestWords;
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly defaults?: ManifestWords;
  readonly gateway?: ManifestWords;
  readonly client?: HttpClientOptions;
}

/** A new diary's path. */
export const newDiary = async (): Promise<string> => join(await mkdtemp(join(tmpdir(), 'holdfast-faults-')), 'diary');

export async function openScene({
  bad,
  environment,
  defaults,
  gateway: gatewayWords,
  client: clientOptions,
}: SceneOptions = {}): Promise<Scene> {
  const path = await newDiary();
  const hostile = {
    ...programServer(hostileProgram, { HOSTILE_DIARY: path, ...environment } as never),
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
    diary: openDiary(path),
    connect,
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

/** What the gateway says of a call that failed. */
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

/** Calls and answers what failed; in time. */
export async function failed(client: HttpClient, tool: string, values: JsonObject = {}): Promise<Failure> {
  return failureOf(await client.call(tool, values, { limitMs: deadlineMs }));
}
