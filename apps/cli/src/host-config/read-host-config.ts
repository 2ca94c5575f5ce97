/**
 * Owns reading the servers of an MCP host's configuration as entries of a manifest.
 *
 * Invariants
 * 1. The gateway itself is left out: it would start itself.
 * 2. What cannot be used is left out with a note, and affects no other server.
 */
import { resolve } from 'node:path';
import { UsageError } from '../exit-codes.ts';
import { parseHostJson } from './plain-json.ts';

type Words = Readonly<Record<string, unknown>>;

export interface HostServers {
  /** Entries of `mcp_servers`, by name. */
  readonly servers: Readonly<Record<string, Words>>;
  /** What was left out, and why. */
  readonly notes: readonly string[];
}

/** Where hosts keep their servers. */
const sections = ['mcpServers', 'servers', 'context_servers', 'mcp'] as const;

/** @throws UsageError if there are no servers in it */
export function readHostConfig(text: string, file: string): HostServers {
  let whole: unknown;
  try {
    whole = parseHostJson(text);
  } catch (error) {
    const hint = /\.toml$/i.test(file) ? 'it is TOML; give a file in JSON' : String((error as Error).message);
    throw new UsageError(`${file} cannot be read as the configuration of an MCP host: ${hint}`);
  }
  const section = sections.map((name) => record(record(whole)?.[name])).find((found) => found !== undefined);
  if (section === undefined) throw new UsageError(`${file} has no servers: it contains none of ${sections.join(', ')}.`);
  const notes: string[] = [];
  const servers: Record<string, Words> = {};
  for (const [name, entry] of Object.entries(section)) {
    const read = entryOf(record(entry) ?? {});
    if ('words' in read) servers[name] = read.words;
    else notes.push(`server '${name}' is left out: ${read.why}`);
  }
  return { servers, notes };
}

function entryOf(entry: Words): { readonly words: Words } | { readonly why: string } {
  if (entry['disabled'] === true || entry['enabled'] === false) return { why: 'it is disabled' };
  const [first, ...more] = list(entry['command']);
  const url = [entry['url'], entry['serverUrl'], entry['httpUrl']].find((each) => typeof each === 'string');
  if (first === undefined && url === undefined) return { why: withoutBoth(entry) };
  if (first === undefined) {
    if (entry['type'] === 'sse' || entry['transport'] === 'sse')
      return {
        why: `it uses the older transport HTTP+SSE: use its address for Streamable HTTP (type http), often ${String(url).replace(/\/sse\/?$/, '/mcp')}`,
      };
    return { words: { url, ...filled('headers', references(record(entry['headers']))) } };
  }
  const args = [...more, ...list(entry['args'])];
  if (isGateway([first, ...args])) return { why: 'it is this gateway' };
  const cwd = resolve(typeof entry['cwd'] === 'string' ? entry['cwd'] : '');
  return {
    words: {
      // The manifest may be in another folder.
      command: /^\.{1,2}[/\\]/.test(first) ? resolve(cwd, first) : first,
      args,
      cwd,
      inherit_env: inherited,
      ...filled('env', references(record(entry['env'] ?? entry['environment']))),
    },
  };
}

function withoutBoth(entry: Words): string {
  const fields = Object.keys(entry);
  return `it has neither a command nor a url${fields.length === 0 ? '' : `, only ${fields.map((name) => `'${name}'`).join(', ')}`}`;
}

/** What hosts hand on to the servers they start, besides what every program gets. */
const inherited: readonly string[] = ['LOGNAME', 'SHELL', 'TERM', 'USER', 'LANG', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE'].filter(
  (name) => process.env[name] !== undefined,
);

const isGateway = (words: readonly string[]): boolean =>
  words.some((word) => /(?:^|[/\\])holdfast(?:\.mjs)?$/.test(word)) && words.includes('serve');

const variable = /^(?:\$\{(?:env:|input:)?(\w+)\}|\$(\w+)|\{env:(\w+)\})$/;

/** References to environment variables, in the forms of the hosts, are those of a manifest; a prefix such as `Bearer ` is kept. */
function references(values: Words = {}): Words {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const text = String(value);
      const [, prefix = '', rest = text] = /^(Bearer |Basic |token )?(.*)$/is.exec(text) ?? [];
      const [, one, two, three] = variable.exec(rest) ?? [];
      const env = one ?? two ?? three;
      return [name, env === undefined ? text : { env, ...(prefix === '' ? {} : { prefix }) }];
    }),
  );
}

const filled = (name: string, values: Words): Words => (Object.keys(values).length === 0 ? {} : { [name]: values });

const record = (value: unknown): Words | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Words) : undefined;

const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : []);
