/** Owns what a turn's results look like on standard output: JSON for programs, an excerpt for people. */
import { inspect } from 'node:util';
import type { ToolResult, TurnReport } from '@holdfast/core';
import { cleanLines } from './terminal/console.ts';
import type { Surface } from './view/index.ts';
import { cell, lineText } from './view/text/cell.ts';

const mostLines = 14;

/** The report as data: snake_case, outputs as the tools gave them, nothing live. */
export function reportData({ turnId, outcome, summary, escalated, executionTime, criticalPath, results }: TurnReport): unknown {
  return {
    turn_id: turnId,
    outcome,
    summary,
    escalated,
    execution_time_ms: Math.round(executionTime),
    critical_path: criticalPath,
    results: results.map(resultData),
  };
}

function resultData(result: ToolResult): unknown {
  const { callId, toolName, status, output, error, executionTime, attempts, servedBy, fallbackUsed, partial } = result;
  const { cause: _live, ...told } = error ?? {};
  const altered = result.status === 'success' ? result.altered : undefined;
  const skipped = result.status === 'success' ? undefined : result.skipped;
  return {
    call_id: callId,
    tool_id: toolName,
    status,
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error: snakeKeys(told) }),
    execution_time_ms: Math.round(executionTime),
    attempts,
    served_by: servedBy,
    ...snakeKeys({ fallbackUsed, partial, altered, skipped }),
  };
}

/** Only the first level: what lies deeper belongs to the tools. */
function snakeKeys(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept.map(([key, value]) => [key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]));
}

/** The outputs, each cut to a few lines. */
export function renderOutputs(results: readonly ToolResult[], surface: Surface): readonly string[] {
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
