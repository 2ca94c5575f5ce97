/** Owns the tracing of a gateway or a worker: where spans are sent, by the manifest and the environment, and that tools and servers receive the trace. */
import type { Middleware, ToolExecutionService } from '@holdfast/core';
import { waitAtMost } from '@holdfast/core/internal/plain';
import type { Manifest } from '@holdfast/manifest';
import { withOutgoingHeaders } from '@holdfast/runners';
import { otlpTracing, type OtlpTracing, type OtlpTracingOptions } from '@holdfast/telemetry/otlp';
import { revealedHeaders } from '../engine/revealed-headers.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Tracing extends Pick<OtlpTracing, 'enter'> {
  readonly middleware: Middleware;
  /** Records the calls of the service until `close`. */
  readonly attach: (service: ToolExecutionService) => void;
  /** Sends what waits, within a limit. Never rejects. */
  readonly close: () => Promise<void>;
}

/** How long a shutdown waits for a collector. */
const flushMs = 2_000;

/** @throws TypeError if the variable of a header is not set, or the address is none */
export function createTracing(manifest: Manifest, report: (text: string) => void, environment: Environment = process.env): Tracing {
  const tracing = otlpTracing({ ...otlpOptions(manifest, environment, report), onFault: report });
  const ends: (() => void)[] = [];
  return {
    enter: tracing.enter,
    middleware: (next) => tracing.middleware(outgoing(tracing, next)),
    attach: (service) => void ends.push(tracing.attach(service)),
    async close() {
      for (const end of ends) end();
      await waitAtMost(globalThis, tracing.flush(), flushMs);
    },
  };
}

const outgoing =
  ({ headers }: OtlpTracing, next: Parameters<Middleware>[0]): Parameters<Middleware>[0] =>
  (args, context) =>
    withOutgoingHeaders(headers(), () => next(args, context));

const tracesPath = '/v1/traces';

/** The manifest's settings are used before those of the environment, as OpenTelemetry names them. */
export function otlpOptions(
  { telemetry }: Pick<Manifest, 'telemetry'>,
  environment: Environment,
  report: (text: string) => void,
): OtlpTracingOptions {
  const given = (name: string): string | undefined => (environment[name]?.trim() === '' ? undefined : environment[name]?.trim());
  const { otlp } = telemetry;
  const isOff = given('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || given('OTEL_TRACES_EXPORTER') === 'none';
  const url = withPath(otlp?.url) ?? given('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? withPath(given('OTEL_EXPORTER_OTLP_ENDPOINT'));
  if (isOff || url === undefined) return {};
  const protocol = given('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? given('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol === 'grpc')
    report(
      'OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but spans are sent as JSON over HTTP: use the port for HTTP of the collector, usually 4318.',
    );
  const headers = pairs(given('OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? given('OTEL_EXPORTER_OTLP_HEADERS'));
  const name = given('OTEL_SERVICE_NAME');
  return {
    url,
    headers: { ...headers, ...revealedHeaders(otlp?.headers ?? {}, environment as NodeJS.ProcessEnv) },
    resource: { ...pairs(given('OTEL_RESOURCE_ATTRIBUTES')), ...(name === undefined ? {} : { 'service.name': name }) },
  };
}

function withPath(address: string | undefined): string | undefined {
  if (address === undefined || address.endsWith(tracesPath)) return address;
  return `${address.replace(/\/+$/, '')}${tracesPath}`;
}

/** `key=value,other=value`, percent-encoded. */
function pairs(text: string | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (text ?? '').split(',').flatMap((part) => {
      const [, key, value] = /^\s*([^=\s]+)\s*=(.*)$/.exec(part) ?? [];
      return key === undefined || value === undefined ? [] : [[key, decoded(value.trim())]];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
