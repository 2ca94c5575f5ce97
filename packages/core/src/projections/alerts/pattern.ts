/**
 * Owns the regular expressions of matchers: compiled, and run in time linear in the length of the value. Does not own which values are matched.
 *
 * Invariants
 * 1. A pattern has to match the whole value, as in Alertmanager.
 * 2. No backtracking: every state of the pattern is visited once per character, so no pattern is slow for any value.
 * 3. At most 256 characters and 2,000 states. Look-around, back references and `\b` are rejected with an error that names them.
 */
import type { Node } from './pattern-reader.ts';
import { readPattern } from './pattern-reader.ts';

export type Pattern = (text: string) => boolean;

const MAX_LENGTH = 256;
const MAX_STATES = 2_000;
/** Names of alerts and tools are few and matched again at every evaluation. */
const MAX_KNOWN = 500;

type State =
  | { readonly kind: 'one'; readonly of: (character: string) => boolean; readonly next: number }
  | { readonly kind: 'either'; readonly next: readonly number[] }
  | { readonly kind: 'end' };

/** @throws RangeError for an invalid or unsupported pattern */
export function compilePattern(source: string): Pattern {
  if (source.length > MAX_LENGTH) throw new RangeError(`pattern has ${source.length} characters: at most ${MAX_LENGTH}`);
  const states: State[] = [{ kind: 'end' }];
  const first = build(readPattern(source), 0, states);
  const known = new Map<string, boolean>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const matches = run(states, first, text);
    if (known.size < MAX_KNOWN) known.set(text, matches);
    return matches;
  };
}

/** Builds from the end to the beginning, so that every state knows its successor. */
function build(node: Node, next: number, states: State[]): number {
  switch (node.kind) {
    case 'one':
      return add({ kind: 'one', of: node.of, next }, states);
    case 'chain':
      return node.of.reduceRight((behind, each) => build(each, behind, states), next);
    case 'either':
      return add({ kind: 'either', next: node.of.map((each) => build(each, next, states)) }, states);
    case 'repeat':
      return repeat(node, next, states);
  }
}

function repeat({ of, min, max }: Extract<Node, { kind: 'repeat' }>, next: number, states: State[]): number {
  let first = next;
  if (max === undefined) {
    const loop: number[] = [next];
    first = add({ kind: 'either', next: loop }, states);
    loop.push(build(of, first, states));
  } else for (let count = min; count < max; count++) first = add({ kind: 'either', next: [next, build(of, first, states)] }, states);
  for (let count = 0; count < min; count++) {
    const before = first;
    first = build(of, before, states);
    // Repeating an empty pattern adds no states, so the limit on states would not end this loop.
    if (first === before) break;
  }
  return first;
}

function add(state: State, states: State[]): number {
  if (states.length >= MAX_STATES) throw new RangeError('pattern has too many states: use smaller repetition counts');
  return states.push(state) - 1;
}

function run(states: readonly State[], first: number, text: string): boolean {
  let current = reach(states, [first]);
  for (const character of text) {
    const next: number[] = [];
    for (const index of current) {
      const state = states[index];
      if (state?.kind === 'one' && state.of(character)) next.push(state.next);
    }
    current = reach(states, next);
    if (current.size === 0) return false;
  }
  return current.has(0);
}

/** Every state that is reachable without consuming a character. */
function reach(states: readonly State[], from: readonly number[]): ReadonlySet<number> {
  const reached = new Set<number>();
  const waiting = [...from];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (reached.has(index)) continue;
    reached.add(index);
    const state = states[index];
    if (state?.kind === 'either') waiting.push(...state.next);
  }
  return reached;
}
