/** `holdfast wrap`: one MCP server behind a gateway of its own, over stdio, without a manifest. */
import type { Action } from '../action.ts';
import type { HeaderValue } from '../commands/parse-header.ts';
import type { GlobalOptions } from '../config.ts';
import { nameOfCommand, writeGivenManifest } from '../host-config/given-manifest.ts';
import { UsageError } from '../exit-codes.ts';
import { programName } from '../terminal/program-name.ts';
import { quoteArgument } from '../terminal/quote-argument.ts';
import { execute as serve } from './serve.ts';

interface WrapOptions extends GlobalOptions {
  readonly name?: string;
  readonly profile: string;
  readonly auth?: 'oauth';
  /** By name: the variable of the environment that has the value, and what stands before it. */
  readonly header: Readonly<Record<string, HeaderValue>>;
}

export const execute: Action<readonly string[], WrapOptions> = async (words, options, console) => {
  const [first = ''] = words;
  if (options.config !== undefined) throw new UsageError('wrap takes no manifest: leave out --config, or use: holdfast serve --stdio');
  const isAddress = /^https?:\/\//.test(first);
  if (isAddress && words.length > 1) throw new UsageError(`an address takes no arguments: ${first}`);
  const name = options.name ?? (isAddress ? new URL(first).hostname : nameOfCommand(words));
  if (!isAddress && (options.auth !== undefined || Object.keys(options.header).length > 0))
    throw new UsageError('--auth and --header are for an address. A program gets its credentials from its environment.');
  const server = isAddress
    ? { url: first, ...(options.auth && { auth: options.auth }), headers: options.header }
    : { command: first, args: words.slice(1), cwd: process.cwd(), inherit_env: Object.keys(process.env).filter((key) => key !== '') };
  const path = writeGivenManifest(name, sourceOf(words, options), {
    profile: options.profile,
    // The host knows the tools by the names of the server.
    mcp_servers: { [name]: { ...server, prefix: '' } },
    // A package that npx has updated offers its new tools at once.
    gateway: { reload: false, log: 'off', tool_lock: 'warn' },
  });
  // The host shows it in its log, and the user's terminal is in another folder.
  const manifest = quoteArgument(path);
  if (options.auth === 'oauth') console.note(`holdfast: to log in to ${name}: ${programName()} login ${name} --config ${manifest}`);
  console.note(`holdfast: ${name} is behind a gateway. What happened: ${programName()} turns --config ${manifest}`);
  return serve(undefined, { ...options, config: path, stdio: true, log: 'off' }, console);
};

/** What the folder of the manifest belongs to: the same command with other credentials has another trace. */
function sourceOf(words: readonly string[], { auth, header }: WrapOptions): string {
  const access = auth === undefined && Object.keys(header).length === 0 ? [] : [{ auth, header }];
  return JSON.stringify([words, process.cwd(), ...access]);
}
