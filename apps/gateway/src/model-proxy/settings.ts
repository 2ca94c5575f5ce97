/** Owns the settings of the model proxy: the providers, their URLs and their keys. */
import type { Redactor, ToolExecutionService } from '@holdfast/core';
import type { ModelEntry, ModelProvider } from '@holdfast/manifest';
import type { FetchReport } from '@holdfast/wire';

export const modelProviders: readonly ModelProvider[] = ['openai', 'anthropic', 'gemini'];

/** The repairs and problems of one exchange. The URL has no query. */
export interface ModelReport extends FetchReport {
  readonly provider: ModelProvider;
}

export interface ModelProxySettings {
  /** `baseUrl` is that of the provider's SDK: for OpenAI with the version (`https://api.openai.com/v1`), for the others without. */
  readonly models: Readonly<Partial<Record<ModelProvider, ModelEntry>>>;
  /** Redacts the messages of the proxy's own errors. */
  readonly redact: Redactor;
  /** Counts failed validations. */
  readonly service?: Pick<ToolExecutionService, 'recordValidationFailure'>;
  /** Called for each repair and each problem. Errors that it throws are ignored. */
  readonly onReport?: (report: ModelReport) => void;
  /** Larger requests to a model are refused with 413; other bodies, such as files, are streamed. @default 64 MiB */
  readonly maxBodyBytes?: number;
  /** @default 10_000 */
  readonly connectTimeoutMs?: number;
  /** Time limit until the provider starts to answer. @default 600_000 */
  readonly answerTimeoutMs?: number;
  /** Time limit between two parts of an answer. @default 300_000 */
  readonly idleTimeoutMs?: number;
}

export interface ModelProxy {
  /**
   * Answers one request. `path` is its raw path, which starts with the provider and has no query, such as `/anthropic/v1/messages`; the query is read from
   * the request. Never rejects: an error becomes an answer in the form of the provider's errors.
   */
  readonly fetch: (request: Request, path: string) => Promise<Response>;
  /** Closes the connections to the providers. */
  readonly close: () => Promise<void>;
}
