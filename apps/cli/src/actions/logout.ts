/** `holdfast logout`: forgets a login at an MCP server. */
import { logOut } from '@holdfast/gateway';
import type { Action } from '../action.ts';
import { type GlobalOptions, loadConfig } from '../config.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { hasLogins } from '../has-logins.ts';

interface LogoutOptions extends GlobalOptions {
  readonly principal?: string;
}

export const execute: Action<string, LogoutOptions> = async (server, options, console) => {
  const manifest = await loadConfig(options, console);
  try {
    const { wasKnown, isRevoked } = await logOut(manifest, { server, principal: options.principal });
    if (!wasKnown) console.note(`There is no login to ${server}.`);
    else if (isRevoked) console.note(`Logged out at ${server}: the login is forgotten, and its tokens are revoked.`);
    else
      console.note(
        `Logged out at ${server}: the login is forgotten. Its authorization server does not revoke tokens; they end by themselves.`,
      );
    return exitCodes.ok;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!hasLogins(manifest, server)) throw new UsageError(message);
    console.error(message);
    return exitCodes.failed;
  }
};
