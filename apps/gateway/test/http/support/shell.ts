/** Owns a shell with a face behind it, on a free port. */
import { httpFront, type HttpFront, type HttpFrontOptions, type ServerFace } from '@holdfast/mcp-wire/server';
import { listenHttp } from '../../../src/http/http-shell.ts';
import type { HttpShell, HttpShellOptions } from '../../../src/http/options.ts';
import { conformanceFace } from './conformance-face.ts';

export interface ShellUnderTest extends AsyncDisposable {
  readonly shell: HttpShell;
  readonly front: HttpFront;
  /** URL of the MCP endpoint. */
  readonly url: string;
  readonly port: number;
  readonly faults: readonly unknown[];
}

export interface ShellUnderTestOptions extends Partial<HttpShellOptions> {
  readonly face?: ServerFace;
  readonly frontLimits?: HttpFrontOptions['limits'];
}

export async function startShell(options: ShellUnderTestOptions = {}): Promise<ShellUnderTest> {
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  const face = options.face ?? conformanceFace((method, params) => front.publish(method, params));
  const front: HttpFront = httpFront(face, { ...(options.frontLimits === undefined ? {} : { limits: options.frontLimits }), onFault });
  const shell = await listenHttp({
    listen: { host: '127.0.0.1', port: 0 },
    rest: (request) => Promise.resolve(Response.json({ path: new URL(request.url).pathname })),
    mcp: front.handle,
    onFault,
    ...options,
  });
  return {
    shell,
    front,
    url: `${shell.url}/mcp`,
    port: shell.port ?? 0,
    faults,
    async [Symbol.asyncDispose](): Promise<void> {
      await front.close(0);
      await shell.close(0);
    },
  };
}
