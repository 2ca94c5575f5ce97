/** Owns the outcome of a call whose server needs a login: the user may be asked for it before the client gets the failure. */
import type { ToolResult } from '@holdfast/core';
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import { loginRequired, type NeededLogin, neededLogin } from '../server-auth/auth-error.ts';

/** A call has failed for a missing login. */
export class LoginNeeded extends Error {
  /** The failure, for a client that is not asked. */
  readonly result: JsonObject;

  constructor(login: NeededLogin, result: JsonObject) {
    super(textOf(result) ?? `MCP server '${login.server}' needs a login`, { cause: loginRequired(login) });
    this.result = result;
  }
}

/** The result is redacted, so its text is too. */
function textOf({ content }: JsonObject): string | undefined {
  const [first] = Array.isArray(content) ? (content as readonly unknown[]) : [];
  return isJsonObject(first) && typeof first['text'] === 'string' ? first['text'] : undefined;
}

/** The login that a call has failed for. A fallback or an alternative that has answered needs none. */
export function loginNeededBy(result: ToolResult): NeededLogin | undefined {
  return result.status === 'success' || result.fallbackUsed === true ? undefined : neededLogin(result.error.cause);
}
