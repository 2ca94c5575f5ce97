/** Owns the options of an export. */
import type { SpanOptions } from '../spans/options.ts';

/** What an export contains. */
export interface ExportOptions {
  /** Arguments and results, as far as the trace has them. @default false */
  readonly content?: boolean | undefined;
  /** `service.name` of the resource. @default 'holdfast' */
  readonly serviceName?: string | undefined;
}

export function spanOptions({ content = false }: ExportOptions): SpanOptions {
  const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : JSON.stringify(value));
  return { turnSpan: 'always', attemptSpans: 'always', agent: undefined, content: content ? toText : undefined, originMs: 0 };
}
