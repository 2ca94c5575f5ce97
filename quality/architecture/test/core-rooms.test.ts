/** The plan of the core, drawn from its imports: few rooms on few floors, and every import leads to a lower floor. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const source = 'packages/core/src';

interface Module {
  readonly source: string;
  readonly dependencies: readonly { readonly resolved: string }[];
}

/** room → the rooms that it imports from. A room is a folder or an entry file directly under `src`. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function roomGraph(modules: readonly Module[], roomOf: (path: string) => string): Graph {
  const graph = new Map<string, Set<string>>();
  for (const { source: path, dependencies } of modules) {
    const room = roomOf(path);
    const imported = graph.get(room) ?? new Set<string>();
    graph.set(room, imported);
    for (const { resolved } of dependencies) if (roomOf(resolved) !== room) imported.add(roomOf(resolved));
  }
  return graph;
}

/** From the lowest floor up: a room is one floor above the highest one that it imports from. `circular`: the rooms without a floor. */
function floorsOf(graph: Graph): { readonly floors: readonly (readonly string[])[]; readonly circular: readonly string[] } {
  const placed = new Set<string>();
  const floors: string[][] = [];
  for (;;) {
    const floor = [...graph.keys()].filter((room) => !placed.has(room) && [...(graph.get(room) ?? [])].every((each) => placed.has(each)));
    if (floor.length === 0) return { floors, circular: [...graph.keys()].filter((room) => !placed.has(room)) };
    floors.push(floor.toSorted());
    for (const room of floor) placed.add(room);
  }
}

test('modules that import each other have no level, and neither have the modules above them', () => {
  const graph = new Map([
    ['below', new Set<string>()],
    ['one', new Set(['other', 'below'])],
    ['other', new Set(['one'])],
    ['above', new Set(['one'])],
  ]);
  expect(floorsOf(graph)).toEqual({ floors: [['below']], circular: ['one', 'other', 'above'] });
});

describe('the core', () => {
  let modules: readonly Module[];

  beforeAll(() => {
    const depcruise = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
    const options = ['--config', '.dependency-cruiser.mjs', '--output-type', 'json', '--include-only', `^${source}/`, source];
    const output = execFileSync(process.execPath, [depcruise, ...options], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
    ({ modules } = JSON.parse(output) as { readonly modules: readonly Module[] });
  });

  test('has at most 10 rooms on 7 floors, without a circle', () => {
    const { floors, circular } = floorsOf(roomGraph(modules, (path) => path.slice(source.length + 1).split('/')[0] ?? ''));
    expect(modules.length).toBeGreaterThan(100);
    expect(circular).toEqual([]);
    expect(floors.flat().length).toBeLessThanOrEqual(10);
    expect(floors.length).toBeLessThanOrEqual(7);
    expect(floors.slice(0, 3)).toEqual([['engine'], ['projections'], ['runtime']]);
  });

  test('has no files that import each other', () => {
    expect(floorsOf(roomGraph(modules, (path) => path)).circular).toEqual([]);
  });
});
