/**
 * Owns what is locked of a server besides its tools: its instructions, prompts, resources and resource templates, each like a tool with a name of its own.
 *
 * 1. Locked is what clients show to people and models: names, descriptions, arguments, types. Not the contents of prompts and resources.
 * 2. An entry for each kind (`(prompts)`) tells a kind that was locked while it was empty from one that was never locked.
 */
import type { JsonObject } from '@holdfast/mcp-wire/server';

/** The lists of a server that are locked besides its tools. */
export type PartKind = 'prompts' | 'resources' | 'templates';

/** The lists of a server; a list that could not be read is absent. */
export type ListedParts = Readonly<Partial<Record<PartKind, readonly JsonObject[]>>>;

interface PartWords {
  /** The entry of the kind. */
  readonly marker: string;
  /** Before the key of an item. */
  readonly prefix: string;
  /** Field that identifies an item. */
  readonly key: string;
  readonly one: string;
  readonly many: string;
}

export const partKinds: Readonly<Record<PartKind, PartWords>> = {
  prompts: { marker: '(prompts)', prefix: '(prompt) ', key: 'name', one: 'prompt', many: 'prompts' },
  resources: { marker: '(resources)', prefix: '(resource) ', key: 'uri', one: 'resource', many: 'resources' },
  templates: { marker: '(templates)', prefix: '(template) ', key: 'uriTemplate', one: 'resource template', many: 'resource templates' },
};

const kinds = Object.keys(partKinds) as PartKind[];

/** The instructions of a server are locked like a tool with this name. */
export const instructionsEntry = '(instructions)';

/** Returns what is locked of a server: its tools, its instructions, and what is on the lists that were read. */
export function lockedParts(
  tools: readonly JsonObject[],
  instructions: string | undefined,
  lists: ListedParts = {},
): readonly JsonObject[] {
  return [
    ...tools,
    ...(instructions === undefined || instructions.trim() === '' ? [] : [{ name: instructionsEntry, description: instructions }]),
    ...kinds.flatMap((kind) => {
      const entries = lists[kind];
      return entries === undefined ? [] : [markerOf(kind), ...entries.map((entry) => lockedPart(kind, entry))];
    }),
  ];
}

export const markerOf = (kind: PartKind): JsonObject => ({
  name: partKinds[kind].marker,
  description: `The ${partKinds[kind].many} of this server are locked.`,
});

/** An item as it is locked. A resource has a name besides its URI: the label. */
export function lockedPart(kind: PartKind, entry: JsonObject): JsonObject {
  const { prefix, key } = partKinds[kind];
  const { name, title, description, mimeType, arguments: args, annotations } = entry;
  const shown = { label: key === 'name' ? undefined : name, title, description, mimeType, arguments: args, annotations };
  return {
    name: `${prefix}${String(entry[key])}`,
    ...Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined)),
  };
}

/** The kind of an entry of the lock file; `undefined` for a tool, and for the instructions. */
export const kindOfEntry = (name: string): PartKind | undefined =>
  kinds.find((kind) => name === partKinds[kind].marker || name.startsWith(partKinds[kind].prefix));

/** Whether it is the entry of a kind, which tells nothing about a server. */
export const isMarker = (name: string): boolean => kinds.some((kind) => name === partKinds[kind].marker);

/** What an entry is, as in a sentence: `prompt 'greet'`. */
export function describeEntry(name: string): string {
  const kind = kindOfEntry(name);
  const prefix = kind === undefined ? '' : partKinds[kind].prefix;
  return kind === undefined || !name.startsWith(prefix) ? `tool '${name}'` : `${partKinds[kind].one} '${name.slice(prefix.length)}'`;
}
