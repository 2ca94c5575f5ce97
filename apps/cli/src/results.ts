/** Prints the results of a turn, for people: an excerpt of each output. */
import { inspect } from 'node:util';
import type { ToolResult } from '@holdfast/core';
import { cleanLines, type Console, type OutputMode } from './terminal/console.ts';
import type { Surface } from './view/text/cell.ts';
import { cell, lineText } from './view/text/cell.ts';

const maxLines = 14;

/** The part of a result that is shown. */
export type DisplayedResult = Pick<ToolResult, 'callId' | 'toolName' | 'servedBy' | 'output'>;

/** Prints a turn's results to standard output: the report as JSON, or an excerpt on a terminal. With `json`, standard output already has the trace. */
export function printResults(report: unknown, results: readonly DisplayedResult[], output: OutputMode, { out, surface }: Console): void {
  if (output === 'json') return;
  if (!out.isTTY) return out.writeLine(JSON.stringify(report, undefined, 2));
  out.writeLine();
  for (const line of renderOutputs(results, surface())) out.writeLine(line);
  out.writeLine();
}

/** The outputs, each truncated to a few lines. */
function renderOutputs(results: readonly DisplayedResult[], surface: Surface): readonly string[] {
  return results.flatMap((result) => {
    if (result.output === undefined) return [];
    const servedBy = result.servedBy === result.toolName ? '' : `  from ${result.servedBy}`;
    const heading = lineText([cell(` ${result.callId}`, 'strong'), cell(servedBy, 'accent')], surface);
    return [heading, ...outputLines(result.output, surface.width)];
  });
}

function outputLines(output: unknown, width: number): readonly string[] {
  const text =
    typeof output === 'string'
      ? output.slice(0, 4000)
      : inspect(output, {
          depth: 4,
          maxArrayLength: 8,
          maxStringLength: 300,
          breakLength: Math.max(20, width - 6),
          compact: 3,
          getters: false,
        });
  const lines = cleanLines(text).split('\n');
  const shown = lines.slice(0, maxLines).map((line) => `   ${line}`);
  return lines.length > maxLines
    ? [...shown, `   … ${lines.length - maxLines} more lines; redirect standard output to get all of it as JSON`]
    : shown;
}
