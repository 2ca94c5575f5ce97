/**
 * Owns writing the record of a finished turn within the size limit, so that a large result does not lose the work. Every call keeps its result: the trace is
 * left out first, since the store has it, then the largest outputs are truncated.
 */
import { headOf } from '@holdfast/core/internal/plain';
import type { ToolResult } from '@holdfast/core';
import { TerminalError } from '@restatedev/restate-sdk';
import { fittingText, MAX_BYTES } from './message-size.ts';
import type { DurableTurnResult, TurnRecord } from './turn-record.ts';

/** Most characters that remain of an output. */
const MAX_HEAD_LENGTH = 2000;
/** Most bytes of one character in JSON. */
const MAX_BYTES_PER_CHARACTER = 6;
/** Bytes for everything except the outputs. */
const SPARE_BYTES = 64 * 1024;
const FAULT = 500;

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** The same mark as for truncated texts in the core. */
const beginningOf = (output: unknown, max: number): string => {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  return `${headOf(text, max)}… [truncated, ${text.length} characters]`;
};

const cutOutput = (result: ToolResult, max: number): ToolResult => {
  const output = beginningOf(result.output, max);
  return result.status === 'success' ? { ...result, output, altered: 'truncated' } : { ...result, output };
};

/** Truncates the largest outputs until the results fit. */
const cutLargest = (results: readonly ToolResult[], room: number): readonly ToolResult[] => {
  const sizes = results.map((result) => sizeOf(result));
  const outputs = results.map(({ output }) => (output === undefined ? 0 : sizeOf(output)));
  const maxHeadLength = Math.max(0, Math.min(MAX_HEAD_LENGTH, Math.floor(room / 4 / MAX_BYTES_PER_CHARACTER / results.length)));
  let excess = sizes.reduce((sum, size) => sum + size + 1, 0) - room;
  const kept = [...results];
  const bySize = [...outputs.keys()].toSorted((one, other) => (outputs[other] ?? 0) - (outputs[one] ?? 0));
  for (const index of bySize) {
    const result = results[index];
    if (excess <= 0 || result?.output === undefined) break;
    const cut = cutOutput(result, maxHeadLength);
    const saved = (sizes[index] ?? 0) - sizeOf(cut);
    if (saved <= 0) continue;
    kept[index] = cut;
    excess -= saved;
  }
  return kept;
};

/** The result within a number of bytes, as far as truncating its outputs allows. */
export const fittingResult = (result: DurableTurnResult, maxBytes: number = MAX_BYTES): DurableTurnResult => {
  const { results, trace, ...others } = result;
  const room = maxBytes - SPARE_BYTES - sizeOf(others);
  // One by one: together they may exceed the longest possible string.
  const size = results.reduce((sum, each) => sum + sizeOf(each) + 1, 0);
  if (size + (trace === undefined ? 0 : sizeOf(trace)) <= room) return result;
  const cut = size <= room ? results : cutLargest(results, room);
  const calls = cut.filter((each, index) => each !== results[index]).map(({ callId }) => callId);
  return { ...others, results: cut, truncated: { calls, trace: trace !== undefined } };
};

/** A record that cannot be written fails the turn at once: a retry would not change it. */
export const recordText = (record: TurnRecord): string => {
  let text: string;
  try {
    text = JSON.stringify({ ...record, result: fittingResult(record.result) });
  } catch (error) {
    throw new TerminalError(`The turn's result is not JSON: ${String(error)}`, { errorCode: FAULT });
  }
  return fittingText(text, "The turn's result");
};
