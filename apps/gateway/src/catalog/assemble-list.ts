/**
 * Owns building the list: candidates get their names, and unchanged entries stay the same object.
 *
 * Invariant: the order is that of the manifest: its own tools, then its servers with their tools by name, then other sources.
 */
import { isDeepStrictEqual } from 'node:util';
import { Pauses } from '@holdfast/mcp-wire/client';
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import type { Candidate } from './candidate.ts';
import type { CatalogEntry, CatalogNote } from './entry.ts';
import { uniqueNames } from './names.ts';

export interface Made {
  readonly entry: CatalogEntry;
  readonly settings: readonly unknown[];
}

export interface Assembled {
  /** Entries by identity. */
  readonly made: ReadonlyMap<string, Made>;
  readonly entries: readonly CatalogEntry[];
  readonly notes: readonly CatalogNote[];
}

/** How names are assigned. */
export interface NameLimits {
  readonly maxLength: number;
  /** Names of tools that the gateway itself offers. */
  readonly reserved: readonly string[];
}

/** Further notes are counted. */
const maxNotes = 100;

export async function assemble(
  candidates: readonly Candidate[],
  before: ReadonlyMap<string, Made>,
  { maxLength, reserved }: NameLimits,
): Promise<Assembled> {
  const names = await uniqueNames(candidates, maxLength, reserved);
  const pauses = new Pauses();
  const made = new Map<string, Made>();
  const notes: CatalogNote[] = [];
  for (const [index, candidate] of candidates.entries()) {
    if (pauses.isDue) await pauses.pause();
    const name = names[index] ?? candidate.name;
    if (name !== candidate.name) notes.push(collision(candidate, name, reserved.includes(candidate.name)));
    try {
      made.set(candidate.identity, keepOrMake(candidate, name, before.get(candidate.identity)));
    } catch (error) {
      notes.push({
        kind: 'bad_definition',
        message: `Tool '${name}' cannot be offered: ${String((error as Error).message)}`,
        ...placeOf(candidate),
      });
    }
  }
  return { made, notes: bounded(notes), entries: Array.from(made.values(), ({ entry }) => entry) };
}

function bounded(notes: readonly CatalogNote[]): readonly CatalogNote[] {
  if (notes.length <= maxNotes) return notes;
  const message = `The list of tools has ${notes.length - maxNotes} more problems: names that two tools have, and definitions that cannot be offered.`;
  return [...notes.slice(0, maxNotes), { kind: 'bad_definition', message }];
}

function keepOrMake(candidate: Candidate, name: string, before: Made | undefined): Made {
  const { source, settings, degraded } = candidate;
  const isSame = before !== undefined && before.entry.name === name && isEqual(before.settings, settings);
  if (isSame && before.entry.degraded === degraded) return before;
  const definition = candidate.define(name);
  return {
    settings,
    entry: {
      name,
      source,
      degraded,
      definition: degraded ? withDegradedMark(definition) : definition,
      tool: isSame ? before.entry.tool : candidate.make(name),
    },
  };
}

/** Definitions that have not changed are the same objects. */
function isEqual(before: readonly unknown[], after: readonly unknown[]): boolean {
  return (before.length === after.length && before.every((each, index) => each === after[index])) || isDeepStrictEqual(before, after);
}

const degradedKey = 'dev.holdfast/degraded';

function withDegradedMark(definition: JsonObject): JsonObject {
  const meta = definition['_meta'];
  return { ...definition, _meta: { ...(isJsonObject(meta) ? meta : {}), [degradedKey]: true } };
}

function collision(candidate: Candidate, name: string, isReserved: boolean): CatalogNote {
  const why = isReserved ? `'${candidate.name}' is a tool of the gateway` : `Two tools have the name '${candidate.name}'`;
  const message = `${why}: ${describeCandidate(candidate)} is offered as '${name}'. Set a name or a prefix for one of them.`;
  return { kind: 'collision', message, ...placeOf(candidate) };
}

function describeCandidate({ source, name }: Candidate): string {
  if (source.kind === 'mcp') return `'${source.tool}' of server '${source.server}'`;
  return source.kind === 'openapi' ? `operation '${source.operation}' of API '${source.api}'` : `'${name}'`;
}

function placeOf({ source }: Candidate): Pick<CatalogNote, 'server' | 'toolName'> {
  return source.kind === 'mcp' ? { server: source.server, toolName: source.tool } : {};
}
