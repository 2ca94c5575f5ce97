/** Connections of the tested client, closed after each test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'undici';
import { afterEach } from 'vitest';
import { type ConnectOptions, type McpConnection, type MessageLink, connect, httpLink, stdioLink } from '../../../src/client/index.ts';

const endings: (() => Promise<unknown>)[] = [];

/** Closes it after the test, the last one first. */
export function ending(end: () => Promise<unknown>): void {
  endings.unshift(end);
}

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

export interface ProcessLink {
  readonly link: MessageLink;
  readonly child: ChildProcess;
}

export function processLink(program: readonly string[], maxMessageBytes = 1_000_000): ProcessLink {
  const child = spawn(process.execPath, [...program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.stdin.end();
    await ended;
  };
  ending(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await ended;
  });
  return { child, link: stdioLink({ input: child.stdin, output: child.stdout, ended, close, maxMessageBytes }) };
}

export function webLink(url: URL, headers: Readonly<Record<string, string>> = {}, maxMessageBytes = 1_000_000): MessageLink {
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  ending(() => dispatcher.destroy());
  return httpLink({ url, headers, dispatcher, maxMessageBytes, graceMs: 500 });
}

export async function connected(link: MessageLink, options: Partial<ConnectOptions> = {}): Promise<McpConnection> {
  const connection = await connect(link, {
    eras: ['legacy', 'modern'],
    clientInfo: { name: 'test', version: '1.0.0' },
    clientCapabilities: { elicitation: {} },
    timeoutMs: 10_000,
    ...options,
  });
  ending(() => connection.close());
  return connection;
}

/** The rejection reason; fails if it does not reject. */
export async function rejection(promise: Promise<unknown>): Promise<Error & Readonly<Record<string, unknown>>> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in outcome)) throw new Error(`expected a rejection, got ${JSON.stringify(outcome.value)}`);
  return outcome.error as Error & Readonly<Record<string, unknown>>;
}
