/** `holdfast trace`: shows a recorded turn. */
import type { Action } from '../action.ts';
import type { GlobalOptions } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { type FoundTurn, findTurn } from '../find-turn.ts';
import { withHistory } from '../store.ts';
import type { Console } from '../terminal/console.ts';
import { renderPlain } from '../view/plain/plain.ts';
import { renderTrace } from '../view/summary/trace.ts';

interface TraceOptions extends GlobalOptions {
  readonly output: 'auto' | 'plain' | 'json';
  readonly run?: number;
  readonly export?: 'otlp' | 'chrome';
}

export const execute: Action<string | undefined, TraceOptions> = async (turn, options, console) => {
  const found = await withHistory(options, console, (store) => findTurn(store, turn, options.run));
  if (options.export) console.out.writeLine(JSON.stringify(await exportTrace(found, options.export)));
  else printTrace(found, options.output, console);
  return exitCodes.ok;
};

async function exportTrace({ events }: FoundTurn, format: 'otlp' | 'chrome'): Promise<unknown> {
  const { toChromeTrace, toOtlpJson } = await import('@holdfast/telemetry/export');
  return format === 'otlp' ? toOtlpJson(events) : toChromeTrace(events);
}

function printTrace({ events }: FoundTurn, output: TraceOptions['output'], { out, surface }: Console): void {
  if (output === 'auto') for (const line of renderTrace(events, surface())) out.writeLine(line);
  for (const event of output === 'auto' ? [] : events) {
    const line = output === 'json' ? JSON.stringify(event) : renderPlain(event);
    if (line !== undefined) out.writeLine(line);
  }
}
