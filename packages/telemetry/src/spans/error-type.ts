/**
 * Owns `error.type`: few values, which the docs list. An HTTP status if there is one, otherwise the kind of failure.
 *
 * Invariant: at most 100 tools and 20 values per tool are distinguished, so that no tool or model can grow the number of series.
 */
import type { TurnOutcome } from '@holdfast/core';
import { otherErrorType, otherTool } from '../semconv.ts';

const kinds: Readonly<Record<string, string>> = {
  TOOL_TIMEOUT: 'timeout',
  TIMEOUT: 'timeout',
  TURN_DEADLINE: 'deadline_exceeded',
  CIRCUIT_OPEN: 'circuit_open',
  RATE_LIMITED: 'rate_limited',
  INVALID_OUTPUT: 'response_invalid',
  INVALID_RESPONSE: 'response_invalid',
  INVALID_ARGUMENTS: 'input_invalid',
  INVALID_INPUT: 'input_invalid',
  INVALID_CALL: 'input_invalid',
};

/** The kind of a failure: an entry of the table, otherwise its code in lower case (`network_error`, `not_found`, `cancelled` …). */
export function errorTypeOf(code: string, status?: number): string {
  if (status !== undefined && status >= 100 && status <= 599) return String(status);
  return (Object.hasOwn(kinds, code) ? kinds[code] : undefined) ?? code.toLowerCase();
}

/** Of a turn; `undefined` if it has a usable result. */
export function turnErrorType(outcome: TurnOutcome): string | undefined {
  switch (outcome) {
    case 'failed':
      return 'tool_error';
    case 'deadline':
      return 'deadline_exceeded';
    case 'cancelled':
      return 'cancelled';
    default:
      return undefined;
  }
}

const TOOLS = 100;
const TYPES_PER_TOOL = 20;

/** Limits the number of distinct values. */
export class FewNames {
  readonly #types = new Map<string, Set<string>>();

  tool(name: string): string {
    if (this.#types.has(name)) return name;
    if (this.#types.size >= TOOLS) return otherTool;
    this.#types.set(name, new Set());
    return name;
  }

  errorType(tool: string, errorType: string): string {
    const types = this.#types.get(this.tool(tool));
    if (!types || types.has(errorType)) return errorType;
    if (types.size >= TYPES_PER_TOOL) return otherErrorType;
    types.add(errorType);
    return errorType;
  }
}
