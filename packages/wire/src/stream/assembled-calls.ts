/**
 * Owns the result of an assembled stream: its calls, and whether the answer is complete.
 * Does not own reading the arguments: they are passed on as the model wrote them.
 */
import { reduceToOne } from '../arguments/concatenated-values.ts';
import { looksTruncated } from '../arguments/is-open.ts';
import { parseJson } from '../arguments/parse-json.ts';
import { parseTolerant } from '../arguments/parse-tolerant.ts';
import { digest } from '../hash.ts';
import { jsonText } from '../json.ts';
import type { Ending } from '../responses/finish-reasons.ts';
import { usableId } from '../transcript.ts';

/** A call assembled from a stream, in the form an agent run accepts. */
export interface AssembledCall {
  /** Name of the tool as the model sent it. */
  readonly toolName: string;
  /** The id the model sent; generated from the call's content and position if there is none or another call has it. */
  readonly callId: string;
  /** JSON text as the model wrote it, or an object if the provider sends objects. */
  readonly arguments: unknown;
  /** The answer or these arguments were cut off. The call must not be run. */
  readonly truncated: boolean;
}

/** What a stream contained when it ended. */
export interface AssembledAnswer {
  /** Calls in the order of the answer. */
  readonly calls: readonly AssembledCall[];
  /** How the answer ended. */
  readonly ending: Ending;
  /** The provider's finish reason. */
  readonly reason: string | undefined;
}

/** The result of a format's reader at the end of a stream. */
export interface ReadAnswer {
  readonly drafts: readonly CallDraft[];
  readonly ending: Ending;
  readonly reason: string | undefined;
}

export interface StreamReader {
  readonly push: (chunk: unknown) => void;
  readonly read: () => ReadAnswer;
}

/** A call in progress. */
export class CallDraft {
  id: string | undefined;
  name: string;
  /** Arguments sent as a value, not as text. */
  whole: unknown;
  /** The provider has not marked the call as complete. */
  open: boolean;
  #fragments: string[] = [];

  constructor(id: unknown, name: string, open = false) {
    this.id = usableId(id);
    this.name = name;
    this.open = open;
  }

  get isEmpty(): boolean {
    return this.#fragments.length === 0 && this.whole === undefined;
  }

  append(fragment: unknown): void {
    if (typeof fragment === 'string') {
      if (fragment !== '') this.#fragments.push(fragment);
    } else if (fragment !== undefined && fragment !== null) this.whole = fragment;
  }

  /** Replaces the fragments by the complete text. */
  replace(text: string): void {
    this.#fragments = [text];
  }

  get arguments(): unknown {
    if (this.whole !== undefined && this.#fragments.length === 0) return this.whole;
    const text = joinFragments(this.#fragments);
    if (this.whole !== undefined && (text === '' || text === '{}')) return this.whole;
    return text === '' ? '{}' : text;
  }
}

/** Joins the fragments; if that is not JSON and each fragment repeats the previous ones, returns the last. */
function joinFragments(fragments: readonly string[]): string {
  const text = fragments.join('');
  if (fragments.length < 2 || parseJson(text)) return text;
  const last = fragments.at(-1) ?? '';
  if (fragments.every((fragment, index) => index === 0 || fragment.startsWith(fragments[index - 1] ?? '')) && parseJson(last)) return last;
  const several = parseTolerant(text);
  if (several.kind !== 'values' || several.tolerances.length > 0) return text;
  const one = reduceToOne(several.values);
  return one && !one.parsed.bigIntegers ? jsonText(one.parsed.value) : text;
}

/** The named calls of an answer, with unique ids and a flag for incomplete ones. */
export function callsOf({ drafts, ending, reason }: ReadAnswer): AssembledAnswer {
  const taken = new Map<string, number>();
  const calls = drafts
    .filter(({ name }) => name !== '')
    .map((draft, position) => {
      const given = draft.arguments;
      const seed = draft.id ?? `${position}\u0000${draft.name}\u0000${typeof given === 'string' ? given : jsonText(given)}`;
      const occurrence = taken.get(seed) ?? 0;
      taken.set(seed, occurrence + 1);
      const callId = draft.id !== undefined && occurrence === 0 ? draft.id : `call_${digest(`${seed}\u0000${occurrence}`, 20)}`;
      return { toolName: draft.name, callId, arguments: given, truncated: ending !== 'complete' || draft.open || looksTruncated(given) };
    });
  return { calls, ending, reason };
}
