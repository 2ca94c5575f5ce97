/** Owns a gateway with many tools, as a separate program, and calling them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveIn } from '../gateway/program.ts';

const tools = `export const quick = () => 'done';
export const step = (_args, { attempt }) => {
  if (attempt <= 3) throw Object.assign(new Error('503 Service Unavailable'), { status: 503 });
  return 'done';
};
`;

export interface RunningGateway {
  readonly url: string;
  /** Posts JSON; resolves when it has been answered. */
  post(path: string, body: unknown): Promise<void>;
  stop(): Promise<void>;
}

export const toolName = (number: number): string => `tool_${String(number).padStart(4, '0')}`;

/** `step` fails three times per call; the others, any number of them, answer at once. */
export async function startGateway(count: number, sources: boolean): Promise<RunningGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  const quick = Array.from({ length: count }, (_, at) => ({ id: toolName(at + 1), run: { module: './tools.mjs', export: 'quick' } }));
  const step = {
    id: 'step',
    run: { module: './tools.mjs', export: 'step' },
    circuit_breaker: false,
    retry_policy: { max_attempts: 5, initial_delay_ms: 1, max_delay_ms: 2 },
  };
  writeFileSync(join(folder, 'tools.mjs'), tools);
  writeFileSync(join(folder, 'holdfast.json'), JSON.stringify({ version: 1, store: { path: 'trace.db' }, tools: [...quick, step] }));
  const { url, stop } = await serveIn(folder, sources);
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  return {
    url,
    post: (path, body) =>
      new Promise((resolve, reject) => {
        const sent = request(new URL(path, url), { method: 'POST', agent, headers: { 'content-type': 'application/json' } }, (answer) => {
          answer.resume().once('end', () => {
            if (answer.statusCode === 200) resolve();
            else reject(new Error(`${path} was answered ${String(answer.statusCode)}`));
          });
        });
        sent.once('error', reject).end(JSON.stringify(body));
      }),
    async stop() {
      agent.destroy();
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
