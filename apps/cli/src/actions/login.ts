/** `holdfast login`: logs a person in at an MCP server. */
import { createInterface } from 'node:readline';
import { type LoginLink, logIn } from '@holdfast/gateway';
import type { Action } from '../action.ts';
import { type GlobalOptions, loadConfig } from '../config.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { hasLogins } from '../has-logins.ts';
import { watchSignals } from '../signals.ts';
import type { Console } from '../terminal/console.ts';

interface LoginOptions extends GlobalOptions {
  readonly principal?: string;
  readonly device?: boolean;
}

export const execute: Action<string, LoginOptions> = async (server, options, console) => {
  const manifest = await loadConfig(options, console);
  const signals = watchSignals(() => {});
  const { device = false } = options;
  const lines = process.stdin.isTTY && !device ? createInterface({ input: process.stdin }) : undefined;
  try {
    const { issuer, scopes, isRenewable } = await logIn(manifest, {
      server,
      principal: options.principal,
      device,
      signal: signals.signal,
      pasted: lines,
      onLink: (link) => printLink(server, link, lines !== undefined, console),
      onRefused: (reason) => console.warn(reason),
    });
    const granted = scopes.length === 0 ? '' : ` for ${scopes.join(', ')}`;
    console.note(`\nLogged in to ${server} (${issuer})${granted}. A running gateway uses it within seconds.`);
    if (!isRenewable) console.note('The server gave no refresh token: when this login ends, log in again.');
    return exitCodes.ok;
  } catch (error) {
    if (signals.signal.aborted) return signals.exitCode() ?? exitCodes.interrupted;
    const message = error instanceof Error ? error.message : String(error);
    if (!hasLogins(manifest, server)) throw new UsageError(message);
    console.error(message);
    return exitCodes.failed;
  } finally {
    lines?.close();
    signals.stop();
  }
};

function printLink(server: string, { url, issuer, redirectUrl, userCode }: LoginLink, canPaste: boolean, console: Console): void {
  const where = userCode === undefined ? '' : ' on any device';
  console.note(`Open this address${where} to log in to ${server} (${issuer}):\n`);
  console.out.writeLine(url);
  if (userCode !== undefined) {
    console.note(`\nEnter the code ${userCode}, or check that the page shows it. Waiting for the login`);
    return;
  }
  console.note(`\nWaiting for the browser at ${redirectUrl}`);
  if (canPaste)
    console.note('If the browser is on another machine: paste the address here that it was sent to, although it cannot open it.');
}
