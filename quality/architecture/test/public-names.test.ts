/** No public name has two meanings: a name that several packages export is the same declaration everywhere, or is listed here with its one meaning. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** One idea each; the declarations differ since each belongs to a framework, or to the JSON of the gateway's API. */
const shared = new Set([
  // The user-facing part of each adapter: the same name in every guide.
  'ReliableTool',
  'ReliableTools',
  'reliableTools',
  'RunSettings',
  'ToolFunction',
  // Types of the core, as the gateway's API sends them.
  'AlertSeverity',
  'CircuitChange',
  'CircuitCommand',
  'CircuitMode',
  'CircuitSample',
  'CircuitState',
  'Share',
  'Silence',
  'ToolHealth',
  'ToolMetrics',
  'TurnFacts',
  'TurnOutcome',
  'TurnReport',
  // The kinds of alert receivers, as a manifest names them.
  'ReceiverKind',
]);

interface Declaration {
  readonly packageName: string;
  readonly text: string;
}

function declarations(): ReadonlyMap<string, readonly Declaration[]> {
  const found = new Map<string, Declaration[]>();
  for (const path of globSync('api/*.api.md', { cwd: root })) {
    const packageName = basename(path, '.api.md').split('.')[0] ?? '';
    for (const text of readFileSync(join(root, path), 'utf8').split(/\n(?=export )/)) {
      const name = /^export (?:declare )?(?:abstract )?(?:type|interface|class|function|const|enum) (\w+)/.exec(text)?.[1];
      if (name === undefined) continue;
      const body = text.replace(/\n\n[\s\S]*$/, '');
      found.set(name, [...(found.get(name) ?? []), { packageName, text: body }]);
    }
  }
  return found;
}

test('a name that two packages export is one declaration, or a listed idea', () => {
  const clashes = [...declarations()]
    .filter(
      ([name, all]) =>
        !shared.has(name) && new Set(all.map(({ packageName }) => packageName)).size > 1 && new Set(all.map(({ text }) => text)).size > 1,
    )
    .map(([name, all]) => `${name}: ${all.map(({ packageName }) => packageName).join(', ')}`);
  expect(clashes).toEqual([]);
});

test('every listed name is exported by several packages', () => {
  const all = declarations();
  const unneeded = [...shared].filter((name) => new Set(all.get(name)?.map(({ packageName }) => packageName)).size < 2);
  expect(all.size).toBeGreaterThan(500);
  expect(unneeded).toEqual([]);
});
