/** Owns what the model proxy is told: which providers there are, where they are, with whose key. */
import type { Redactor } from '@holdfast/core';
import type { ModelEntry, ModelProvider } from '@holdfast/manifest';
import type { FetchReport } from '@holdfast/wire';

export const modelProviders: readonly ModelProvider[] = ['openai', 'anthropic', 'gemini'];

/** What was changed or found in one exchange. The address has no query. */
export interface ModelReport extends FetchReport {
  readonly provider: ModelProvider;
}

export interface ModelProxySettings {
  /** `baseUrl` is what a provider's own SDK takes: for OpenAI with the version (`https://api.openai.com/v1`), for the others without. */
  readonly models: Readonly<Partial<Record<ModelProvider, ModelEntry>>>;
  /** For the texts of the proxy's own errors. */
  readonly redact: Redactor;
  /** Hears of each change and each problem. What it throws is swallowed. */
  readonly onReport?: (report: ModelReport) => void;
  /** A request to a model that is larger is refused with 413; other bodies, such as files, flow through. @default 64 MiB */
  readonly maxBodyBytes?: number;
  /** @default 10_000 */
  readonly connectTimeoutMs?: number;
  /** Until the provider begins to answer. @default 600_000 */
  readonly answerTimeoutMs?: number;
  /** Between two pieces of an answer. @default 300_000 */
  readonly idleTimeoutMs?: number;
}

export interface ModelProxy {
  /**
   * Answers one request. `path` is its raw path with the provider in front and without the query, such as `/anthropic/v1/messages`; the query is read from
   * the request. Never rejects: what goes wrong is an answer in the provider's own form.
   */
  readonly fetch: (request: Request, path: string) => Promise<Response>;
  /** Ends the connections to the providers. */
  readonly close: () => Promise<void>;
}
