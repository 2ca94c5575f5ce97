/** Owns a shell with a handler behind it, on a free port. */
import { httpTransport, type HttpTransport, type HttpTransportOptions, type ServerHandler } from '@holdfast/mcp-wire/server';
import { listenHttp } from '../../../src/http/http-shell.ts';
import type { HttpShell, HttpShellOptions } from '../../../src/http/options.ts';
import { conformanceHandler } from './conformance-handler.ts';

export interface ShellUnderTest extends AsyncDisposable {
  readonly shell: HttpShell;
  readonly transport: HttpTransport;
  /** URL of the MCP endpoint. */
  readonly url: string;
  readonly port: number;
  readonly faults: readonly unknown[];
}

export interface ShellUnderTestOptions extends Partial<HttpShellOptions> {
  readonly handler?: ServerHandler;
  readonly transportLimits?: HttpTransportOptions['limits'];
}

export async function startShell(options: ShellUnderTestOptions = {}): Promise<ShellUnderTest> {
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  const handler = options.handler ?? conformanceHandler((method, params) => transport.publish(method, params));
  const transport: HttpTransport = httpTransport(handler, {
    ...(options.transportLimits === undefined ? {} : { limits: options.transportLimits }),
    onFault,
  });
  const shell = await listenHttp({
    listen: { host: '127.0.0.1', port: 0 },
    rest: (request) => Promise.resolve(Response.json({ path: new URL(request.url).pathname })),
    mcp: transport.handle,
    onFault,
    ...options,
  });
  return {
    shell,
    transport,
    url: `${shell.url}/mcp`,
    port: shell.port ?? 0,
    faults,
    async [Symbol.asyncDispose](): Promise<void> {
      await transport.close(0);
      await shell.close(0);
    },
  };
}
