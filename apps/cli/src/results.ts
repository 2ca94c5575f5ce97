/** Owns what a turn's results look like to people: an excerpt of each output. */
import { inspect } from 'node:util';
import type { ToolResult } from '@holdfast/core';
import { cleanLines, type Console, type OutputMode } from './terminal/console.ts';
import type { Surface } from './view/index.ts';
import { cell, lineText } from './view/text/cell.ts';

const mostLines = 14;

/** What is shown of a result. */
export type ShownResult = Pick<ToolResult, 'callId' | 'toolName' | 'servedBy' | 'output'>;

/** Says what a turn came to on standard output: its report as JSON, or to a terminal an excerpt. With `json` the trace has been written there. */
export function printResults(report: unknown, results: readonly ShownResult[], output: OutputMode, { out, surface }: Console): void {
  if (output === 'json') return;
  if (!out.isTTY) return out.line(JSON.stringify(report, undefined, 2));
  out.line();
  for (const line of renderOutputs(results, surface())) out.line(line);
  out.line();
}

/** The outputs, each cut to a few lines. */
function renderOutputs(results: readonly ShownResult[], surface: Surface): readonly string[] {
  return results.flatMap((result) => {
    if (result.output === undefined) return [];
    const by = result.servedBy === result.toolName ? '' : `  from ${result.servedBy}`;
    const heading = lineText([cell(` ${result.callId}`, 'strong'), cell(by, 'accent')], surface);
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
  const shown = lines.slice(0, mostLines).map((line) => `   ${line}`);
  return lines.length > mostLines
    ? [...shown, `   … ${lines.length - mostLines} more lines; the whole as JSON: redirect standard output`]
    : shown;
}
