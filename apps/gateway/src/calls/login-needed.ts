/** Owns the outcome of a call whose server needs a login: the user may be asked for it before the client gets the failure. */
import type { ToolResult } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { type NeededLogin, neededLogin } from '../server-auth/auth-error.ts';

/** A call has failed for a missing login. */
export class LoginNeeded extends Error {
  readonly login: NeededLogin;
  readonly #result: JsonObject;

  constructor(login: NeededLogin, message: string, result: JsonObject) {
    super(message);
    this.login = login;
    this.#result = result;
  }

  /** The failure, for a client that is not asked. */
  result(): JsonObject {
    return this.#result;
  }
}

/** The login that a call has failed for. A fallback or an alternative that has answered needs none. */
export function loginNeededBy(result: ToolResult): NeededLogin | undefined {
  return result.status === 'success' || result.fallbackUsed === true ? undefined : neededLogin(result.error.cause);
}
