/**
 * Owns the life of a worker: its tools, the port where the engine finds it, drain, close. Does not own how turns run on the engine (`@holdfast/durable`).
 *
 * Invariants
 * 1. It has the tools of its manifest before it registers with the engine.
 * 2. An attempt that runs may end within the drain limit; one that does not is made again by another worker.
 * 3. After `close` no process, socket or timer of it is left.
 */
import { checkOptions } from '@holdfast/core/internal/plain';
import { runtimeFields } from '../composition/option-fields.ts';
import type { ToolExecutionService } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { describeError } from '@holdfast/core/internal';
import type * as Durable from '@holdfast/durable';
import type { EngineEntry, GatewayEntry, Manifest } from '@holdfast/manifest';
import { createPrometheusHandler } from '@holdfast/telemetry/prometheus';
import type { HealthParts } from '../api/parts.ts';
import { revealedHeaders } from '../engine/revealed-headers.ts';
import { settingsNeedingRestart } from '../composition/restart-settings.ts';
import { createToolRuntime, type ToolRuntime } from '../composition/tool-runtime.ts';
import { answerMonitoring, type MonitoringParts, respond } from './monitoring.ts';
import { registerWithRetry } from './registered.ts';
import type { TwoProtocols, TwoProtocolsOptions } from './two-protocols.ts';

/** Settings of a worker beside its manifest. */
export interface WorkerOptions {
  /** Stores the trace. @default none: no trace is kept */
  readonly store?: Store | undefined;
  /** Begins with closed circuits, whatever the store remembers. @default false */
  readonly fresh?: boolean | undefined;
  /** In place of the manifest's `gateway.log`. */
  readonly log?: GatewayEntry['log'] | undefined;
  /** Takes the lines of the log. @default standard error */
  readonly write?: ((text: string) => void) | undefined;
  /** Receives what failed without affecting a turn: one sentence for the operator, without secrets. */
  readonly onFault?: ((text: string) => void) | undefined;
}

/** A process that runs durable turns for the engine of its manifest. */
export interface Worker {
  /** Runs the calls of the turns, with the tools of the manifest and of its servers. */
  readonly service: ToolExecutionService;
  /** Opens the port; resolves with its address. */
  listen(at?: { readonly host?: string | undefined; readonly port?: number | undefined }): Promise<string>;
  /** Registers the workers' address with the engine; resolves with that address. Rejects with a message when the engine refuses it. */
  register(): Promise<string>;
  /** Puts another manifest in force; answers the settings that only count from the next start. */
  reload(manifest: Manifest): Promise<readonly string[]>;
  /** @default the manifest's `worker.drain_ms` */
  close(limitMs?: number): Promise<void>;
}

const balancerMs = 30_000;

/** After the drain: for answers still on their way. */
const closeGraceMs = 500;

function checkedOptions(options: WorkerOptions): WorkerOptions {
  checkOptions({ ...runtimeFields, onFault: 'function' }, options, 'createWorker');
  return options;
}

/** @throws Error if Node is too old: before anything is started. */
async function loadDurable(): Promise<typeof Durable> {
  const durable = await import('@holdfast/durable');
  durable.checkNodeVersion();
  return durable;
}

/** Creates a worker with the tools of a manifest. Does not listen or register: see `listen` and `register`. */
export async function createWorker(manifest: Manifest & { readonly engine: EngineEntry }, options: WorkerOptions = {}): Promise<Worker> {
  const { store, fresh = false } = checkedOptions(options);
  let current: Manifest = manifest;
  let isDraining = false;
  let listening: TwoProtocols | undefined;
  let closing: Promise<void> | undefined;
  const headers = revealedHeaders(manifest.engine.restate.headers);
  const { circuitObject, createTurnEndpoint } = await loadDurable();
  const runtime = await createToolRuntime({ ...options, current: () => current });
  const { service, upstreams, catalog } = runtime;
  if (!fresh) await service.restore();
  void runtime.noteCircuits();
  upstreams.connect();
  const endpoint = createTurnEndpoint({
    service,
    identityKeys: manifest.worker.identityKeys,
    services: [circuitObject()],
    // All workers have the same store: the engine keeps what it does not take, so that turns do not need it.
    ...(store ? { record: { store, ingressUrl: manifest.engine.restate.ingress, headers } } : {}),
    onLog: ({ message, turnId }) => runtime.report(`${turnId === undefined ? '' : `turn ${turnId}: `}${firstLine(message)}`),
  });
  const monitoring = monitoringOf(runtime, store, () => isDraining);

  const closeAll = async (limitMs: number): Promise<void> => {
    isDraining = true;
    listening?.stop();
    await endpoint.drain(limitMs);
    await listening?.close(closeGraceMs);
    await catalog.close();
    await service.close();
    await runtime.close();
  };

  return {
    service,
    async listen({ host = manifest.worker.listen.host, port = manifest.worker.listen.port } = {}) {
      await catalog.ready();
      listening = await openPort({
        host,
        port,
        monitoring,
        turns: (request, response) => endpoint.handler(request, response),
        report: runtime.report,
      });
      return listening.url;
    },
    async register() {
      const url = manifest.worker.url ?? listening?.url;
      if (url === undefined) throw new Error('worker.url is not set, and it does not listen: call listen() first.');
      // A balancer sends nothing here before it has seen that this worker is ready.
      await register(manifest.engine, headers, url, manifest.worker.url === undefined ? 0 : balancerMs);
      return url;
    },
    async reload(next) {
      const before = current;
      await runtime.apply(next, () => {
        current = next;
      });
      return settingsNeedingRestart(before, next);
    },
    close: (limitMs = current.worker.drainMs) => (closing ??= closeAll(limitMs)),
  };
}

function monitoringOf({ upstreams, redact, metrics }: ToolRuntime, store: Store | undefined, isDraining: () => boolean): MonitoringParts {
  const health: HealthParts = {
    store,
    upstreams: () => upstreams.status().map(({ name, ...status }) => ({ name, status })),
    isDraining,
    redact,
  };
  return { health, metrics: createPrometheusHandler({ metrics }) };
}

interface PortOptions {
  readonly host: string;
  readonly port: number;
  readonly monitoring: MonitoringParts;
  /** Of the engine. */
  readonly turns: TwoProtocolsOptions['http2'];
  readonly report: (text: string) => void;
}

async function openPort({ host, port, monitoring, turns, report }: PortOptions): Promise<TwoProtocols> {
  const fault = (error: unknown): void => report(describeError(error).message);
  const { listenForBoth } = await import('./two-protocols.ts');
  return listenForBoth({
    host,
    port,
    http1: (request, response) => void respond(request, response, monitoring).catch(fault),
    http2: (request, response) => {
      void answerMonitoring(request, monitoring).then(async (answer) => {
        if (answer === undefined) return turns(request, response);
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        response.end(request.method === 'HEAD' ? '' : await answer.text());
      }, fault);
    },
  });
}

/** Registers the workers' address with the engine. */
async function register(
  { restate }: EngineEntry,
  headers: ReturnType<typeof revealedHeaders>,
  url: string,
  refusedMs: number,
): Promise<void> {
  const { registerDeployment } = await import('@holdfast/durable');
  const { admin: adminUrl, timeoutMs } = restate;
  await registerWithRetry({
    register: () => registerDeployment({ adminUrl, url, headers, timeoutMs }),
    url,
    lostMs: timeoutMs,
    refusedMs,
  });
}

/** Without the stack, which does not fit a log of single lines. */
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
