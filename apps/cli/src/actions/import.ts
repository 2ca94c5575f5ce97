/** `holdfast import`: makes a manifest from the configuration of an MCP host. Secrets are not copied: the manifest names variables. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Action } from '../action.ts';
import { displayPath, type GlobalOptions } from '../config.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { type HostServers, readHostConfig } from '../host-config/read-host-config.ts';
import { programName } from '../terminal/program-name.ts';
import { whyUnreadable } from '../unreadable.ts';

interface ImportOptions extends GlobalOptions {
  readonly output: string;
}

type Words = Readonly<Record<string, unknown>>;

export const execute: Action<string, ImportOptions> = async (file, { output }, console) => {
  const isPrinted = output === '-';
  if (!isPrinted && existsSync(output))
    throw new UsageError(`${displayPath(output)} exists already. Choose another file with --output, or print the manifest with --output -`);
  const { servers, notes } = readHostFile(file);
  const variables = new Map<string, string>();
  const text = manifestText(
    withOwnPrefixes(Object.fromEntries(Object.entries(servers).map(([name, words]) => [name, withoutSecrets(name, words, variables)]))),
  );
  if (isPrinted) console.out.write(text);
  else writeFileSync(output, text);
  for (const note of notes) console.warn(note);
  const count = Object.keys(servers).length;
  console.note(`${isPrinted ? 'read' : ` wrote  ${displayPath(output)}, with`} ${count} MCP server${count === 1 ? '' : 's'}`);
  for (const [variable, place] of variables) console.note(`  set ${variable} in the environment${place}`);
  if (!isPrinted) {
    console.note(`\nNext: ${programName()} doctor          # starts every server once`);
    console.note(`      ${programName()} mcp-config      # the entry for the host, in place of its servers`);
  }
  return exitCodes.ok;
};

/** @throws UsageError */
export function readHostFile(file: string): HostServers {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${displayPath(file)} cannot be read: ${whyUnreadable(error)}.`);
  }
  return readHostConfig(text, displayPath(file));
}

const secretName = /token|key|secret|pass|auth|credential|cookie|session/i;

/** Replaces literal secrets by names of variables. */
function withoutSecrets(server: string, words: Words, variables: Map<string, string>): Words {
  const replaced = Object.entries(words).map(([field, values]) => {
    if (field !== 'env' && field !== 'headers') return [field, values] as const;
    const kept = Object.entries(values as Words).map(([name, value]) => {
      const place = `${field === 'env' ? 'the variable' : 'the header'} ${name} of server '${server}'`;
      // The host has asked for its value, or has it in its own environment.
      if (isReference(value)) variables.set(value.env, `: ${place} uses it`);
      if (typeof value !== 'string' || value === '' || !secretName.test(name)) return [name, value] as const;
      const env = field === 'env' ? name : `${server}_${name}`.toUpperCase().replaceAll(/\W+/g, '_');
      variables.set(env, ` to the value of ${place}`);
      const prefix = /^(?:Bearer|Basic|token) /i.exec(value)?.[0];
      return [name, { env, ...(prefix === undefined ? {} : { prefix }) }] as const;
    });
    return [field, Object.fromEntries(kept)] as const;
  });
  return Object.fromEntries(replaced);
}

const isReference = (value: unknown): value is { readonly env: string } =>
  typeof value === 'object' && value !== null && 'env' in value && typeof value.env === 'string';

/** Two names may become the same prefix, such as `my files` and `my.files`: a manifest with both is refused. */
function withOwnPrefixes(servers: Readonly<Record<string, Words>>): Readonly<Record<string, Words>> {
  const legal = (name: string): string => name.replaceAll(/[^\w-]/g, '_');
  const taken = new Set<string>();
  const entries = Object.entries(servers).map(([name, words]) => {
    let prefix = legal(name);
    for (let count = 2; taken.has(prefix); count += 1) prefix = `${legal(name)}_${count}`;
    taken.add(prefix);
    return [name, prefix === legal(name) ? words : { ...words, prefix }] as const;
  });
  return Object.fromEntries(entries);
}

const key = (name: string): string => (/^[a-z_][\w-]*$/i.test(name) ? name : JSON.stringify(name));

/** JSON is YAML: only the structure that people edit is written in lines. */
function manifestText(servers: Readonly<Record<string, Words>>): string {
  const lines = Object.entries(servers).flatMap(([name, words]) => [
    `  ${key(name)}:`,
    ...Object.entries(words).map(([field, value]) => `    ${field}: ${JSON.stringify(value)}`),
  ]);
  return `version: 1\nprofile: adaptive\nmcp_servers:${lines.length === 0 ? ' {}' : ''}\n${lines.join('\n')}\n`;
}
