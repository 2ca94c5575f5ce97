/** Owns what a turn's results look like to people: an excerpt of each output. */
import { inspect } from 'node:util';
import type { ToolResult } from '@holdfast/core';
import { cleanLines } from './terminal/console.ts';
import type { Surface } from './view/index.ts';
import { cell, lineText } from './view/text/cell.ts';

const mostLines = 14;

/** The outputs, each cut to a few lines. */
export function renderOutputs(
  results: readonly Pick<ToolResult, 'callId' | 'toolName' | 'servedBy' | 'output'>[],
  surface: Surface,
): readonly string[] {
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
