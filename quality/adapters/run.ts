/** Owns running the contract's cases against frameworks, bare and with Holdfast, in separate processes. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { contractCases, conversationEnds } from '@holdfast/adapter-kit/testing';
import type { AdapterHarness } from '@holdfast/adapter-kit/testing';

export interface Cell {
  readonly verdict: 'pass' | 'fail' | 'n/a';
  /** Expectations that did not hold. */
  readonly wrong?: readonly string[];
  /** What was observed; for `n/a`, why the case does not apply. */
  readonly seen: string;
}

const didHang = (cell: Cell | undefined): boolean => cell?.wrong?.includes(conversationEnds) === true;

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
  /** Those of a group run at once. */
  readonly groups: readonly (readonly string[])[];
}

export const allCases: readonly string[] = contractCases.map(({ id }) => id);

/** Separates cases that one process runs at once. */
export const sideBySide = '+';

/** The results of the cases that one process has run. */
async function runProcess({ folder, id, how, groups }: CellsRequest): Promise<Column> {
  const flags = ['--conditions=@holdfast/source', '--no-warnings'];
  const timeout = 60_000 + 10_000 * groups.flat().length;
  const list = groups.map((group) => group.join(sideBySide)).join(',');
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, folder, id, how, list], {
    cwd: root,
    timeout,
    killSignal: 'SIGKILL',
    env: quietEnvironment,
  });
  // Frameworks may print, too.
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1)) as Column;
}

/** Runs cases, in one process for as long as they leave nothing behind: after a case that hangs, or whose errors escape, the next ones get a new process. */
async function runCells(request: CellsRequest): Promise<Column> {
  let cells: Column = {};
  let rest = request.groups;
  while (rest.length > 0) {
    const done = await runProcess({ ...request, groups: rest });
    cells = { ...cells, ...done };
    rest = rest.filter((group) => group.some((each) => !done[each]));
  }
  return cells;
}

const alone = (cases: readonly string[]): readonly (readonly string[])[] => cases.map((each) => [each]);

/** A clean environment: neither keys nor addresses may reach a framework. Frameworks are loaded often, so compiled code is cached. */
const quietEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  OPENAI_AGENTS_DISABLE_TRACING: '1',
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
};

/** `known`: earlier results. Cases that hung then run last and all at once, since they only share the wait; one that does not hang is run again separately. */
export async function runBare(folder: string, { id }: AdapterHarness, known: Column = {}): Promise<Column> {
  const request = { folder, id, how: 'bare' } as const;
  const hanging = allCases.filter((each) => didHang(known[each]));
  const groups = [...alone(allCases.filter((each) => !hanging.includes(each))), hanging].filter((group) => group.length > 0);
  const cells = await runCells({ ...request, groups });
  const ended = hanging.length < 2 ? [] : hanging.filter((each) => !didHang(cells[each]));
  return { ...cells, ...(await runCells({ ...request, groups: alone(ended) })) };
}

export async function runFramework(folder: string, harness: AdapterHarness): Promise<FrameworkResults> {
  const { id, framework, adapter } = harness;
  const [bare, wrapped] = await Promise.all([runBare(folder, harness), runCells({ folder, id, how: 'wrapped', groups: alone(allCases) })]);
  return { id, framework, adapter, bare, wrapped };
}
