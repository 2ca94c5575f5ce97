/** `promtool check metrics`: the problems that Prometheus finds in a text. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** All reported problems; empty if there are none. */
export async function checkMetrics(metrics: string): Promise<string> {
  const child = spawn(process.env['HOLDFAST_PROMTOOL'] ?? 'promtool', ['check', 'metrics'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 30_000,
  });
  child.stdin.on('error', () => undefined).end(metrics);
  const [out, problems, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return code === 0 ? `${out}${problems}` : `${out}${problems} (exit code ${String(code)})`;
}
