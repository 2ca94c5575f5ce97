/** Owns the options of an export. */
import { checkOptions } from '@holdfast/core/internal/plain';
import type { SpanOptions } from '../spans/options.ts';

/** What an export contains. */
export interface ExportOptions {
  /** Arguments and results, as far as the trace has them. @default false */
  readonly content?: boolean | undefined;
  /** `service.name` of the resource. @default 'holdfast' */
  readonly serviceName?: string | undefined;
}

/** @throws TypeError naming the option (with `where` in front), its value and the fix. */
export function checkExportOptions(options: ExportOptions, where: string): void {
  checkOptions({ content: 'boolean', serviceName: 'string' }, options, where);
}

export function spanOptions({ content = false }: ExportOptions): SpanOptions {
  const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : JSON.stringify(value));
  return { turnSpan: 'always', attemptSpans: 'always', agent: undefined, content: content ? toText : undefined, originMs: 0 };
}
