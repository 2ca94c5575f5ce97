/** The TOML configuration of Codex. It lists the names of a server's environment variables, not their values. */
import type { AddressServer, ProgramServer } from './server.ts';

export const codexProgram = ({ name, command, args, variables }: ProgramServer): string =>
  table(name, {
    command: text(command),
    args: list(args),
    ...(variables.length === 0 ? {} : { env_vars: list(variables) }),
  });

export const codexAddress = ({ name, url, token }: AddressServer): string =>
  table(name, { url: text(url), ...(token === undefined ? {} : { bearer_token_env_var: text(token) }) });

function table(name: string, fields: Readonly<Record<string, string>>): string {
  const key = /^[\w-]+$/.test(name) ? name : text(name);
  return [`[mcp_servers.${key}]`, ...Object.entries(fields).map(([field, value]) => `${field} = ${value}`)].join('\n');
}

const list = (values: readonly string[]): string => `[${values.map(text).join(', ')}]`;

/** A JSON string is a valid basic string in TOML, except for this one character. */
const text = (value: string): string => JSON.stringify(value).replaceAll('\u007F', String.raw`\u007F`);
