/** Owns running the contract's cases against frameworks, bare and with Holdfast, in processes of their own. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { contractCases, endsAtAll } from '@holdfast/adapter-kit/testing';
import type { AdapterHarness } from '@holdfast/adapter-kit/testing';

export interface Cell {
  readonly verdict: 'pass' | 'fail' | 'n/a';
  /** Expectations that did not hold. */
  readonly wrong?: readonly string[];
  /** What was seen; for `n/a` why it was not asked. */
  readonly seen: string;
}

export const didHang = (cell: Cell | undefined): boolean => cell?.wrong?.includes(endsAtAll) === true;

/** By case. */
type Column = Readonly<Record<string, Cell>>;

export interface FrameworkResults {
  readonly id: string;
  readonly framework: string;
  readonly adapter: string;
  readonly bare: Column;
  readonly wrapped: Column;
}

export const root: string = join(import.meta.dirname, '../..');
const harnessPath = 'test/support/harness.ts';
const program = join(import.meta.dirname, 'cell.ts');

/** Packages with a harness: `packages/adapters/openai`. */
export const adapterFolders: readonly string[] = readdirSync(join(root, 'packages/adapters'))
  .map((name) => `packages/adapters/${name}`)
  .filter((folder) => existsSync(join(root, folder, harnessPath)));

export async function harnessesOf(folder: string): Promise<readonly AdapterHarness[]> {
  const module = (await import(join(root, folder, harnessPath))) as { readonly harnesses: readonly AdapterHarness[] };
  return module.harnesses;
}

interface CellsRequest {
  readonly folder: string;
  readonly id: string;
  readonly how: 'bare' | 'wrapped';
  readonly cases: readonly string[];
}

export const allCases: readonly string[] = contractCases.map(({ id }) => id);

/** Runs cases, in one process for as long as they leave nothing behind: after one that hangs, or whose errors escape, the others get a new one. */
async function runCells({ folder, id, how, cases }: CellsRequest): Promise<Column> {
  const flags = ['--conditions=@holdfast/source', '--no-warnings'];
  let cells: Column = {};
  let rest = cases;
  while (rest.length > 0) {
    const timeout = 60_000 + 10_000 * rest.length;
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, folder, id, how, rest.join()], {
      cwd: root,
      timeout,
      killSignal: 'SIGKILL',
      env: quietEnvironment,
    });
    // Frameworks may print, too.
    const done = JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1)) as Column;
    cells = { ...cells, ...done };
    rest = rest.filter((each) => !done[each]);
  }
  return cells;
}

/** Nothing of the surroundings may reach a framework: neither keys nor addresses. A framework is loaded many times, and compiled once. */
const quietEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  OPENAI_AGENTS_DISABLE_TRACING: '1',
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
};

/** `cases`: those that are known to hang come last, so that the others share a process. */
export const runBare = (folder: string, { id }: AdapterHarness, cases: readonly string[] = allCases): Promise<Column> =>
  runCells({ folder, id, how: 'bare', cases });

export async function runFramework(folder: string, harness: AdapterHarness): Promise<FrameworkResults> {
  const { id, framework, adapter } = harness;
  const [bare, wrapped] = await Promise.all([runBare(folder, harness), runCells({ folder, id, how: 'wrapped', cases: allCases })]);
  return { id, framework, adapter, bare, wrapped };
}
