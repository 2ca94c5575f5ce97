/**
 * Owns ranking tools by words: rare words count more than frequent ones, and words of the name more than those of the description.
 *
 * Invariant: the index is built and searched in slices, so that no other call waits for it.
 */
import { Pauses } from '@holdfast/mcp-wire/client';
import type { JsonObject } from '@holdfast/mcp-wire/server';

const nameWeight = 3;
/** Words after the first ones of a description say less about the tool. */
const maxDescription = 600;

interface Posting {
  readonly tool: number;
  weight: number;
}

export class ToolIndex {
  readonly #tools: readonly JsonObject[];
  readonly #postings = new Map<string, Posting[]>();

  private constructor(tools: readonly JsonObject[]) {
    this.#tools = tools;
  }

  static async of(tools: readonly JsonObject[]): Promise<ToolIndex> {
    const index = new ToolIndex(tools);
    const pauses = new Pauses();
    for (const [place, tool] of tools.entries()) {
      if (pauses.isDue) await pauses.pause();
      index.#add(place, tool);
    }
    return index;
  }

  #add(tool: number, { name, title, description }: JsonObject): void {
    for (const word of wordsOf(`${String(name)} ${typeof title === 'string' ? title : ''}`)) this.#count(word, tool, nameWeight);
    if (typeof description === 'string') for (const word of wordsOf(description.slice(0, maxDescription))) this.#count(word, tool, 1);
  }

  #count(word: string, tool: number, weight: number): void {
    let postings = this.#postings.get(word);
    if (!postings) this.#postings.set(word, (postings = []));
    const last = postings.at(-1);
    if (last?.tool === tool) last.weight = Math.min(last.weight + weight, 2 * nameWeight);
    else postings.push({ tool, weight });
  }

  /** The tools that fit best, the best first. */
  async find(query: string, limit: number): Promise<readonly JsonObject[]> {
    const pauses = new Pauses();
    const scores = new Map<number, number>();
    for (const word of new Set(wordsOf(query.slice(0, maxDescription)))) {
      if (pauses.isDue) await pauses.pause();
      const postings = this.#postings.get(word) ?? [];
      const rarity = Math.log(1 + this.#tools.length / Math.max(1, postings.length));
      for (const { tool, weight } of postings) scores.set(tool, (scores.get(tool) ?? 0) + rarity * (1 + Math.log(weight)));
    }
    if (pauses.isDue) await pauses.pause();
    return [...scores]
      .toSorted(([a, first], [b, second]) => second - first || a - b)
      .slice(0, limit)
      .flatMap(([tool]): readonly JsonObject[] => {
        const found = this.#tools[tool];
        return found === undefined ? [] : [found];
      });
  }
}

/** `readTextFile` and `read_text_files` have the same words. */
const wordsOf = (text: string): readonly string[] =>
  (
    text
      .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\d]+/gu) ?? []
  ).map((word) => (word.length > 3 ? word.replace(/(?:ies|es|s)$/, '') : word));
