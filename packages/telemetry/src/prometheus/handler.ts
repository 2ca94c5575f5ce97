/** Owns the response to a scrape. Does not own the server: the handler maps a request to a response. */
import { checkOptions, withMethods } from '@holdfast/core/internal/plain';
import { metricDefinitions, type MetricKey, type Metrics } from '@holdfast/core/metrics';
import { wantsOpenMetrics } from './accept.ts';
import { endOfMetrics, familyParts } from './text.ts';

/** What a scrape returns. */
export interface PrometheusHandlerOptions {
  /** The metrics to expose: those of `createMetrics`. */
  readonly metrics: Pick<Metrics, 'eachSeries'>;
}

/** Content types of the two formats. */
export const textContentType = 'text/plain; version=0.0.4; charset=utf-8';
/** Content type of OpenMetrics 1.0. */
export const openMetricsContentType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** For `GET` and `HEAD`: OpenMetrics 1.0 with exemplars if it is requested, as Prometheus does, otherwise text 0.0.4. Compressed if accepted. */
export function createPrometheusHandler(options: PrometheusHandlerOptions): (request: Request) => Response {
  checkOptions({ metrics: withMethods('eachSeries') }, options, 'createPrometheusHandler', ['metrics']);
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
    const body = streamText(metrics, openMetrics);
    if (!takesGzip(request.headers.get('accept-encoding'))) return new Response(body, { headers });
    headers.set('content-encoding', 'gzip');
    return new Response(body.pipeThrough(new CompressionStream('gzip')), { headers });
  };
}

/** Read and written part by part, with turns of the event loop between them: thousands of tools are megabytes of text. */
function streamText(metrics: Pick<Metrics, 'eachSeries'>, openMetrics: boolean): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const parts = partsOf(metrics, openMetrics);
  return new ReadableStream({
    async pull(controller) {
      if (isTurnUsed()) await nextTurn();
      const part = parts.next();
      if (part.done) controller.close();
      else controller.enqueue(encoder.encode(part.value));
    },
  });
}

/** A timer takes a millisecond or more: small families follow one another without one. */
const budgetMs = 5;

/** When the scrapes of this turn of the event loop began: many together hold it no longer than one. */
let turnStarted: number | undefined;
/** The longest waiting first. */
const waiting: (() => void)[] = [];

function isTurnUsed(): boolean {
  if (turnStarted === undefined) beginTurn();
  return performance.now() - (turnStarted ?? 0) > budgetMs;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void waiting.push(resolve));

function beginTurn(): void {
  turnStarted = performance.now();
  setTimeout(() => {
    const next = waiting.shift();
    if (next) beginTurn();
    else turnStarted = undefined;
    next?.();
  }, 0);
}

function* partsOf(metrics: Pick<Metrics, 'eachSeries'>, openMetrics: boolean): Generator<string, void> {
  for (const key of Object.keys(metricDefinitions) as MetricKey[])
    yield* familyParts(metricDefinitions[key], metrics.eachSeries(key), openMetrics);
  if (openMetrics) yield endOfMetrics;
}

function takesGzip(acceptEncoding: string | null): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?(\s|,|$))/i.test(acceptEncoding ?? '');
}
