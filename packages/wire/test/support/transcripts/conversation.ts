/**
 * Conversations in no format. Every call and every result carries the number of the call that it truly is or belongs to, so that a judge
 * needs no ids, names or places.
 */
import type { Random } from './random.ts';

type Id = string | number | undefined;

export interface Call {
  readonly number: number;
  id: Id;
  name: string;
}

export interface Result {
  /** The call that it truly belongs to; calls of tools that are not in the conversation have numbers of their own. */
  readonly number: number;
  id: Id;
  /** Written only where the format has a field for it. */
  name: string | undefined;
  /** A placeholder, not a result. */
  readonly isPlaceholder: boolean;
}

export type Entry =
  | { readonly kind: 'user'; readonly text: string }
  | { readonly kind: 'model'; text: string | undefined; calls: Call[] }
  | { readonly kind: 'results'; results: Result[]; text: string | undefined };

export interface Conversation {
  readonly entries: Entry[];
  /** Calls whose id was taken away or is used by another call, so that only name and order tell what belongs to them. */
  readonly bare: Set<number>;
  /** The format writes the names of tools into results. */
  readonly namesResults: boolean;
  /** Numbers for calls that are not in the conversation. */
  foreign: number;
}

export type IdStyle = 'counter' | 'long' | 'digits' | 'numbers' | 'restarting' | 'none';

export const tools = ['look', 'pay', 'calendar', 'read_file', 'send'] as const;

function idOf(style: IdStyle, number: number, index: number): Id {
  switch (style) {
    case 'counter':
      return `call_${number}`;
    case 'long':
      return `call_${(number * 2_654_435_761).toString(36)}xQ${number}`;
    case 'digits':
      return String(number);
    case 'numbers':
      return number;
    case 'restarting':
      return `call_${index}`;
    case 'none':
      return undefined;
  }
}

/** A conversation as programs should write it. */
export function newConversation(random: Random, style: IdStyle, namesResults: boolean): Conversation {
  const entries: Entry[] = [];
  const bare = new Set<number>();
  let number = 0;
  const rounds = 1 + random.below(4);
  for (let round = 0; round < rounds; round += 1) {
    entries.push({ kind: 'user', text: `user ${round}` });
    const steps = random.below(4);
    for (let step = 0; step < steps; step += 1) {
      const width = random.chance(0.5) ? 1 : 1 + random.below(4);
      const calls = Array.from({ length: width }, (_unused, index): Call => {
        number += 1;
        if (style === 'none' || style === 'restarting') bare.add(number);
        return { number, id: idOf(style, number, index), name: random.pick(tools) };
      });
      entries.push({ kind: 'model', text: random.chance(0.3) ? `thought ${number}` : undefined, calls });
      entries.push({ kind: 'results', results: calls.map(resultOf), text: undefined });
    }
    if (random.chance(0.7)) entries.push({ kind: 'model', text: `answer ${round}`, calls: [] });
  }
  entries.push({ kind: 'user', text: 'and now?' });
  return { entries, bare, namesResults, foreign: 1000 };
}

export const resultOf = ({ number, id, name }: Call): Result => ({ number, id, name, isPlaceholder: false });

export const callsOf = ({ entries }: Conversation): readonly Call[] =>
  entries.flatMap((entry) => (entry.kind === 'model' ? entry.calls : []));

export const resultsOf = ({ entries }: Conversation): readonly Result[] =>
  entries.flatMap((entry) => (entry.kind === 'results' ? entry.results : []));
