/**
 * Owns the lifecycle of a worker: its tools, the port for the engine, drain, close. Does not own how turns run on the engine (`@holdfast/durable`).
 *
 * Invariants
 * 1. It has the tools of its manifest before it is registered at the engine.
 * 2. A running attempt may end within the drain limit; otherwise another worker makes it again.
 * 3. After `close`, no process, socket or timer of the worker is left.
 */
import type { ToolExecutionService } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { describeError } from '@holdfast/core/internal';
import type { EngineEntry, GatewayEntry, Manifest } from '@holdfast/manifest';
import { createPrometheusHandler } from '@holdfast/telemetry/prometheus';
import type { HealthParts } from '../api/parts.ts';
import { revealedHeaders } from '../engine/revealed-headers.ts';
import { settingsNeedingRestart } from '../composition/restart-settings.ts';
import { createToolRuntime } from '../composition/tool-runtime.ts';
import { answerMonitoring, respond } from './monitoring.ts';
import { registerWithRetry } from './registered.ts';
import type { TwoProtocols } from './two-protocols.ts';

/** Settings of a worker in addition to its manifest. */
export interface WorkerOptions {
  /** Stores the trace. @default none */
  readonly store?: Store | undefined;
  /** Starts with closed circuits instead of those in the store. @default false */
  readonly fresh?: boolean | undefined;
  /** Overrides `gateway.log` of the manifest. */
  readonly log?: GatewayEntry['log'] | undefined;
  /** Writes the lines of the log. @default standard error */
  readonly write?: ((text: string) => void) | undefined;
  /** Receives what failed without affecting a turn: one sentence for the operator, without secrets. */
  readonly onFault?: ((text: string) => void) | undefined;
}

/** A process that runs durable turns for the engine of its manifest. */
export interface Worker {
  /** Runs the calls of the turns, with the tools of the manifest and of its servers. */
  readonly service: ToolExecutionService;
  /** Starts to listen; resolves with the address. */
  listen(at?: { readonly host?: string | undefined; readonly port?: number | undefined }): Promise<string>;
  /** Registers the address of the workers at the engine; resolves with that address. Rejects with a sentence if the engine refuses it. */
  register(): Promise<string>;
  /** Applies another manifest; returns the settings that take effect only after a restart. */
  reload(manifest: Manifest): Promise<readonly string[]>;
  /** @default `worker.drain_ms` of the manifest */
  close(limitMs?: number): Promise<void>;
}

const balancerMs = 30_000;

/** Time after the drain for writing the last answers. */
const closeGraceMs = 500;

/** Creates a worker with the tools of a manifest. Does not listen or register: see `listen` and `register`. */
export async function createWorker(manifest: Manifest & { readonly engine: EngineEntry }, options: WorkerOptions = {}): Promise<Worker> {
  const { store, fresh = false } = options;
  const { restate } = manifest.engine;
  let current: Manifest = manifest;
  let isDraining = false;
  let listening: TwoProtocols | undefined;
  let closing: Promise<void> | undefined;
  const headers = revealedHeaders(restate.headers);
  const { circuitObject, createTurnEndpoint, registerDeployment } = await import('@holdfast/durable');
  const runtime = await createToolRuntime({ ...options, current: () => current });
  const { service, upstreams, catalog, metrics, redact } = runtime;
  if (!fresh) await service.restore();
  runtime.noteCircuits();
  upstreams.connect();
  const { identityKeys } = manifest.worker;
  const endpoint = createTurnEndpoint({
    service,
    identityKeys,
    services: [circuitObject()],
    // The trace of a turn can be read once its answer was sent.
    ...(store ? { settle: () => store.flush() } : {}),
    onLog: ({ message, turnId }) => runtime.report(`${turnId === undefined ? '' : `turn ${turnId}: `}${firstLine(message)}`),
  });
  const health: HealthParts = {
    store,
    upstreams: () => upstreams.status().map(({ name, ...status }) => ({ name, status })),
    isDraining: () => isDraining,
    redact,
  };
  const monitoring = { health, metrics: createPrometheusHandler({ metrics }) };
  const fault = (error: unknown): void => runtime.report(describeError(error).message);

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
      const { listenForBoth } = await import('./two-protocols.ts');
      listening = await listenForBoth({
        host,
        port,
        http1: (request, response) => void respond(request, response, monitoring).catch(fault),
        http2: (request, response) => {
          void answerMonitoring(request, monitoring).then(async (answer) => {
            if (answer === undefined) return endpoint.handler(request, response);
            response.writeHead(answer.status, Object.fromEntries(answer.headers));
            response.end(request.method === 'HEAD' ? '' : await answer.text());
          }, fault);
        },
      });
      return listening.url;
    },
    async register() {
      const url = manifest.worker.url ?? listening?.url;
      if (url === undefined) throw new Error('worker.url is not set, and the worker does not listen: call listen() first.');
      await registerWithRetry({
        register: () => registerDeployment({ adminUrl: restate.admin, url, headers, timeoutMs: restate.timeoutMs }),
        url,
        lostMs: restate.timeoutMs,
        // A load balancer sends no requests here until this worker is ready.
        refusedMs: manifest.worker.url === undefined ? 0 : balancerMs,
      });
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

/** Removes the stack, which is not useful in a log of single lines. */
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
