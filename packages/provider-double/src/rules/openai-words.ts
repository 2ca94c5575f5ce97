/** OpenAI's error messages for values of the wrong form. Chat Completions and Responses use the same ones. */
import { wordOf } from './reading.ts';
import type { RequestProblem } from './problem.ts';

const nameOfType = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'boolean') return 'a boolean';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal number';
  return 'a string';
};

const at = (rule: string, path: string, message: string, code: string): RequestProblem => ({ rule, path, message, code, param: path });

export const missingParameter = (rule: string, path: string): RequestProblem =>
  at(rule, path, `Missing required parameter: '${path}'.`, 'missing_required_parameter');

export const wrongType = (rule: string, path: string, expected: string, value: unknown): RequestProblem =>
  at(rule, path, `Invalid type for '${path}': expected ${expected}, but got ${nameOfType(value)} instead.`, 'invalid_type');

export const emptyText = (rule: string, path: string): RequestProblem =>
  at(
    rule,
    path,
    `Invalid '${path}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
    'empty_string',
  );

export const longText = (rule: string, path: string, maximum: number, length: number): RequestProblem =>
  at(
    rule,
    path,
    `Invalid '${path}': string too long. Expected a string with maximum length ${maximum}, but got a string with length ${length} instead.`,
    'string_above_max_length',
  );

export const wrongPattern = (rule: string, path: string, pattern: string): RequestProblem =>
  at(
    rule,
    path,
    `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${pattern}'.`,
    'invalid_value',
  );

export const emptyArray = (rule: string, path: string): RequestProblem =>
  at(rule, path, `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`, 'empty_array');

export const longArray = (rule: string, path: string, maximum: number, length: number): RequestProblem =>
  at(
    rule,
    path,
    `Invalid '${path}': array too long. Expected an array with maximum length ${maximum}, but got an array with length ${length} instead.`,
    'array_above_max_length',
  );

export const wrongValue = (rule: string, path: string, value: unknown, supported: readonly string[]): RequestProblem => {
  const quoted = supported.map((one) => `'${one}'`);
  const list = quoted.length < 3 ? quoted.join(' and ') : `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1) ?? ''}`;
  return at(rule, path, `Invalid value: '${wordOf(value)}'. Supported values are: ${list}.`, 'invalid_value');
};

/** The problem of a name that is missing, too long or breaks the pattern; `undefined` for a valid one. */
export const nameProblem = (rule: string, path: string, name: unknown, maximum: number): RequestProblem | undefined => {
  if (name === undefined || name === null) return missingParameter(rule, path);
  if (typeof name !== 'string') return wrongType(rule, path, 'a string', name);
  if (name === '') return emptyText(rule, path);
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) return wrongPattern(rule, path, '^[a-zA-Z0-9_-]+$');
  return name.length > maximum ? longText(rule, path, maximum, name.length) : undefined;
};
