/**
 * Owns the form of the evidence: what is known of an error and its parts, and how a piece is added. Does not own where it is found (`evidence.ts`).
 *
 * 1. Each piece is kept once, no longer than its limit.
 */
import { isStatus } from './http-statuses.ts';
import { read, truncateText } from './reading.ts';

export interface Code {
  readonly field: string;
  readonly value: string | number;
  /** On the error itself, where its client may have chosen it, not in a response. */
  readonly isOwn?: boolean;
}

/** An error and its own parts (response, body, metadata), without its causes. */
export interface Layer {
  /** 0 for the error itself, one more for each cause. */
  readonly depth: number;
  readonly names: string[];
  readonly codes: Code[];
  readonly statuses: number[];
  readonly texts: string[];
  /** Objects that hold response headers or metadata. */
  readonly carriers: object[];
  /** The headers they hold, once read. */
  headers?: Map<string, string>;
  readonly waits: Code[];
  /** Errors grouped in this one, as in an AggregateError: all of them happened. */
  readonly members: (readonly Layer[])[];
  /** They are attempts in a row: the last one decides. */
  isRow?: boolean;
  /** The object being read is the error itself, not a part of it. */
  isOwn: boolean;
  /** Whether the client considers the error retryable. */
  retryable?: boolean;
  /** The request was never sent. */
  unsent?: boolean;
  /** Whether the effect may have happened, as reported by the runner. */
  ambiguous?: boolean | undefined;
  /** The program that failed, if it is one whose exit codes and words are known. */
  program?: string | undefined;
  /** Another program, which marks its words with its name. */
  isSigned?: boolean;
  /** The command lines that the error repeats. */
  readonly commands: string[];
  /** Flags that determine what numbers and names mean. */
  isProcess?: boolean;
  isKilled?: boolean;
  isGrpc?: boolean;
  isService?: boolean;
  hasIssues?: boolean;
}

/** The errors side by side in a layer, each with its causes; of attempts in a row, the last. */
export const groupsOf = ({ isRow, members }: Layer): readonly (readonly Layer[])[] => (isRow ? members.slice(-1) : members);

/** The layers, and those of grouped errors. */
export function withMembers(layers: readonly Layer[]): readonly Layer[] {
  if (!layers.some(({ members }) => members.length > 0)) return layers;
  return layers.flatMap((layer) => [layer, ...groupsOf(layer).flat()]);
}

export function addNames(value: object, layer: Layer): void {
  addName(read(value, 'name'), layer);
  const made = read(value, 'constructor');
  if (typeof made === 'function') addName(read(made, 'name'), layer);
  addName(read(value, '_tag'), layer);
}

function addName(name: unknown, { names }: Layer): void {
  if (typeof name === 'string' && name.length > 0 && name.length <= 80 && !names.includes(name)) names.push(name);
}

/** A string without spaces is a code, one with spaces a message. */
export function addWord(layer: Layer, field: string, value: string): void {
  if (value.length <= 100 && !/\s/.test(value)) layer.codes.push({ field, value, isOwn: layer.isOwn });
  else addText(value, layer);
}

export function addStatus(status: number, { statuses }: Layer): void {
  if (isStatus(status) && !statuses.includes(status)) statuses.push(status);
}

export function addText(text: string, { texts }: Layer): void {
  const short = truncateText(text);
  if (!texts.includes(short)) texts.push(short);
}
