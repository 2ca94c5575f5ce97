/** `npm run adapters:cost`: the CPU time that each adapter adds to a call of a tool. With names of cases or adapters (`openai mcp-v2`): only those. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CostCase } from '@holdfast/adapter-kit/testing';

const root = join(import.meta.dirname, '../../..');
const chosen = process.argv.slice(2);
const program = join(import.meta.dirname, 'cell.ts');

interface Times {
  readonly bare: number;
  readonly wrapped: number;
}

function run(folder: string, id: string): readonly Times[] {
  const flags = ['--conditions=@holdfast/source', '--no-warnings'];
  const env = { ...process.env, OPENAI_AGENTS_DISABLE_TRACING: '1', MASTRA_TELEMETRY_DISABLED: '1' };
  const stdout = execFileSync(process.execPath, [...flags, program, folder, id], { cwd: root, env, encoding: 'utf8' });
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1)) as readonly Times[];
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

for (const name of readdirSync(join(root, 'packages/adapters'))) {
  const folder = `packages/adapters/${name}`;
  const file = join(root, folder, 'test/support/cost.ts');
  if (!existsSync(file)) continue;
  const { costs } = (await import(file)) as { readonly costs: readonly CostCase[] };
  for (const { id } of costs) {
    if (chosen.length > 0 && !chosen.includes(name) && !chosen.includes(id)) continue;
    const times = run(folder, id);
    const of = (how: keyof Times, share: number): number =>
      quantile(
        times.map((each) => each[how]),
        share,
      );
    const added = (share: number): number => Math.round(of('wrapped', share) - of('bare', share));
    // Other programs only ever add to a time, so the lower quartile is nearest to that of a quiet machine.
    console.log(`${id}: ${added(0.25)} µs added per call (medians: ${added(0.5)}), bare ${Math.round(of('bare', 0.25))} µs`);
  }
}
process.exit();
