/**
 * Owns the JSON text of a turn's report and of a call's result.
 *
 * Invariant: outputs beyond the limit are left out and marked; a text is never longer than the limit plus everything except outputs.
 */
import type { ToolResult, TurnReport } from '@holdfast/core';
import { fromReport, fromResult, type ResultWords } from '@holdfast/manifest';

export function reportText(report: TurnReport, maxChars: number): string {
  const { results, ...rest } = fromReport(report);
  let left = maxChars;
  const texts = results.map((result) => {
    const text = textWithin(result, left);
    left = Math.max(0, left - text.length);
    return text;
  });
  return `${JSON.stringify(rest).slice(0, -1)},"results":[${texts.join(',')}]}`;
}

export const resultText = (result: ToolResult, maxChars: number): string => textWithin(fromResult(result), maxChars);

function textWithin(result: ResultWords, maxChars: number): string {
  if (maxChars > 0) {
    const text = textOf(result);
    if (text !== undefined && (text.length <= maxChars || result.output === undefined)) return text;
  }
  const { output, ...rest } = result;
  return JSON.stringify(output === undefined ? rest : { ...rest, altered: 'truncated' });
}

/** `undefined` when the text would exceed the maximum length of a string. */
function textOf(result: ResultWords): string | undefined {
  try {
    return JSON.stringify(result);
  } catch {
    return undefined;
  }
}
