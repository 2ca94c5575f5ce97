/** Owns hiding names of alternatives in results and reports of the API from clients for which they do not exist. */
import type { ToolResult } from '@holdfast/core';
import type { Access } from '../../access/access.ts';
import { type Conceal, concealAlternatives } from '../../access/conceal-alternatives.ts';
import type { ApiService } from '../parts.ts';

export function concealCall(result: ToolResult, access: Access, service: ApiService): ToolResult {
  const conceal = concealAlternatives(result.toolName, access, service);
  if (conceal === undefined) return result;
  const servedBy = conceal(result.servedBy);
  if (result.error === undefined) return { ...result, servedBy };
  const { message, advice } = result.error;
  return {
    ...result,
    servedBy,
    error: { ...result.error, message: conceal(message), ...(advice === undefined ? {} : { advice: conceal(advice) }) },
  };
}

/** The parts of a result that may name an alternative. */
interface ShownResult {
  readonly tool_id: string;
  readonly served_by: string;
  readonly error?: { readonly message: string; readonly advice?: string };
}

/** A report as an object. */
export function concealReport<Report extends object>(report: Report, access: Access, service: ApiService): Report {
  if (access.allowsAll) return report;
  const { results = [], ...rest } = report as { readonly results?: readonly ShownResult[] };
  const shown = results.map((result) => {
    const conceal = concealAlternatives(result.tool_id, access, service);
    return conceal === undefined ? result : concealedResult(result, conceal);
  });
  return { ...rest, results: shown } as unknown as Report;
}

/** A report as JSON text. */
export const concealReportText = (report: string, access: Access, service: ApiService): string =>
  access.allowsAll ? report : JSON.stringify(concealReport(JSON.parse(report) as object, access, service));

function concealedResult(result: ShownResult, conceal: Conceal): ShownResult {
  const { error } = result;
  const shown = error && {
    ...error,
    message: conceal(error.message),
    ...(error.advice === undefined ? {} : { advice: conceal(error.advice) }),
  };
  return { ...result, served_by: conceal(result.served_by), ...(shown === undefined ? {} : { error: shown }) };
}
