/** `holdfast wrap`: one MCP server behind a gateway of its own, over stdio, without a manifest. */
import type { Action } from '../action.ts';
import { displayPath, type GlobalOptions } from '../config.ts';
import { nameOfCommand, writeGivenManifest } from '../host-config/given-manifest.ts';
import { UsageError } from '../exit-codes.ts';
import { programName } from '../terminal/program-name.ts';
import { execute as serve } from './serve.ts';

interface WrapOptions extends GlobalOptions {
  readonly name?: string;
  readonly profile: string;
}

export const execute: Action<readonly string[], WrapOptions> = async (words, options, console) => {
  const [first = ''] = words;
  if (options.config !== undefined) throw new UsageError('wrap takes no manifest: leave out --config, or use: holdfast serve --stdio');
  const isAddress = /^https?:\/\//.test(first);
  if (isAddress && words.length > 1) throw new UsageError(`an address stands alone: ${first}`);
  const name = options.name ?? (isAddress ? new URL(first).hostname : nameOfCommand(words));
  const server = isAddress
    ? { url: first }
    : { command: first, args: words.slice(1), cwd: process.cwd(), inherit_env: Object.keys(process.env).filter((key) => key !== '') };
  const path = writeGivenManifest(name, JSON.stringify([words, process.cwd()]), {
    profile: options.profile,
    // The host knows the tools by the names of the server.
    mcp_servers: { [name]: { ...server, prefix: '' } },
    // A package that npx has updated offers its new tools at once.
    gateway: { reload: false, log: 'off', tool_lock: 'warn' },
  });
  console.note(`holdfast: ${name} is behind a gateway. What happened: ${programName()} turns --config ${displayPath(path)}`);
  return serve(undefined, { ...options, config: path, stdio: true, log: 'off' }, console);
};
