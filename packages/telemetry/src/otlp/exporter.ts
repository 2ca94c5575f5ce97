/**
 * Owns sending spans to a collector: in batches, as OTLP/JSON over HTTP.
 *
 * Invariants
 * 1. No call waits for it. What waits is bounded; further spans are dropped and counted.
 * 2. A batch is tried again after failures that may pass, and given up after others. One outage is reported once.
 * 3. It keeps no process alive.
 */
import type { OtlpKeyValue, OtlpSpan, OtlpTraces } from '../export/otlp-json.ts';
import { scope } from '../scope.ts';
import { schemaUrl } from '../semconv.ts';

export interface ExporterOptions {
  /** Where traces are sent: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: readonly OtlpKeyValue[];
  readonly onFault: (text: string) => void;
}

const batchSize = 512;
const maxWaiting = 8_192;
const delayMs = 1_000;
const requestMs = 10_000;
const tries = 4;
const firstPauseMs = 500;
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export class OtlpExporter {
  readonly #options: ExporterOptions;
  #waiting: OtlpSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isDown = false;
  dropped = 0;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  add(span: OtlpSpan): void {
    if (this.#waiting.length >= maxWaiting) {
      this.dropped += 1;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= batchSize) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), delayMs).unref();
  }

  /** Resolves when everything that waited was sent or given up. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await (this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined)));
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, batchSize);
      this.#waiting = this.#waiting.slice(batchSize);
      await this.#send(batch);
    }
  }

  async #send(spans: readonly OtlpSpan[]): Promise<void> {
    const { resource } = this.#options;
    const traces: OtlpTraces = {
      resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ scope: { ...scope }, spans, schemaUrl }] }],
    };
    const body = JSON.stringify(traces);
    let problem = '';
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      if (attempt > 1) await new Promise<void>((resolve) => setTimeout(resolve, firstPauseMs * 2 ** (attempt - 2)).unref());
      const answer = await this.#post(body);
      if (answer.ok) {
        this.#isDown = false;
        return;
      }
      ({ problem } = answer);
      if (!answer.mayPass) break;
    }
    this.dropped += spans.length;
    if (!this.#isDown) this.#options.onFault(`telemetry.otlp: ${spans.length} spans were dropped: ${problem}`);
    this.#isDown = true;
  }

  async #post(body: string): Promise<{ readonly ok: boolean; readonly mayPass: boolean; readonly problem: string }> {
    const { url, headers } = this.#options;
    const place = url.replace(/\/\/[^/@]*@/, '//');
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(requestMs),
      });
      await response.arrayBuffer();
      return { ok: response.ok, mayPass: passing.has(response.status), problem: `${place} answered HTTP ${response.status}` };
    } catch {
      return { ok: false, mayPass: true, problem: `${place} does not answer` };
    }
  }
}
