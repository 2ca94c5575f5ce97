/** Owns the response to a scrape. Does not own the server: the handler maps a request to a response. */
import { checkOptions, withMethods } from '@holdfast/core/internal/plain';
import type { MetricFamily, Metrics } from '@holdfast/core/metrics';
import { wantsOpenMetrics } from './accept.ts';
import { endOfMetrics, familyParts } from './text.ts';

/** What a scrape returns. */
export interface PrometheusHandlerOptions {
  /** The metrics to expose: those of `createMetrics`. */
  readonly metrics: Pick<Metrics, 'snapshot'>;
}

/** Content types of the two formats. */
export const textContentType = 'text/plain; version=0.0.4; charset=utf-8';
/** Content type of OpenMetrics 1.0. */
export const openMetricsContentType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** For `GET` and `HEAD`: OpenMetrics 1.0 with exemplars if it is requested, as Prometheus does, otherwise text 0.0.4. Compressed if accepted. */
export function createPrometheusHandler(options: PrometheusHandlerOptions): (request: Request) => Response {
  checkOptions({ metrics: withMethods('snapshot') }, options, 'createPrometheusHandler', ['metrics']);
  const { metrics } = options;
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return new Response('Method not allowed\n', { status: 405, headers: { allow: 'GET, HEAD' } });
    const openMetrics = wantsOpenMetrics(request.headers.get('accept'));
    const headers = new Headers({
      'content-type': openMetrics ? openMetricsContentType : textContentType,
      'cache-control': 'no-store',
      vary: 'accept, accept-encoding',
    });
    if (request.method === 'HEAD') return new Response(null, { headers });
    const body = streamText(metrics.snapshot(), openMetrics);
    if (!takesGzip(request.headers.get('accept-encoding'))) return new Response(body, { headers });
    headers.set('content-encoding', 'gzip');
    return new Response(body.pipeThrough(new CompressionStream('gzip')), { headers });
  };
}

/** Written part by part as it is read, with a turn of the event loop between them: thousands of tools are megabytes of text. */
function streamText(families: readonly MetricFamily[], openMetrics: boolean): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const parts = partsOf(families, openMetrics);
  return new ReadableStream({
    async pull(controller) {
      const part = parts.next();
      if (part.done) return controller.close();
      controller.enqueue(encoder.encode(part.value));
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
    },
  });
}

function* partsOf(families: readonly MetricFamily[], openMetrics: boolean): Generator<string, void> {
  for (const family of families) yield* familyParts(family, openMetrics);
  if (openMetrics) yield endOfMetrics;
}

function takesGzip(acceptEncoding: string | null): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?(\s|,|$))/i.test(acceptEncoding ?? '');
}
