/** The reference pages say what the code says: regenerated, they are the same; and nothing in the code is left out of them. */
import { globSync } from 'node:fs';
import { profiles } from '@holdfast/core';
import { snakeCase } from '@holdfast/core/internal/plain';
import { parseManifest } from '@holdfast/manifest';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { codesInSources } from '../../tools/docs/error-codes-page.ts';
import { errorCases, traceOnly } from '../../tools/docs/error-cases.ts';
import { eventNotes } from '../../tools/docs/event-notes.ts';
import { eventTypes } from '../../tools/docs/events-page.ts';
import { toolNotes, turnNotes } from '../../tools/docs/option-notes.ts';
import { toolSettings, turnSettings } from '../../tools/docs/options-page.ts';
import { normalize } from '../../tools/docs/page.ts';
import { pages } from '../../tools/docs/pages.ts';
import { visitSources } from '../../tools/docs/source.ts';
import { read, root } from './pages.ts';

test.each(pages)('$path is what `npm run docs` prints', async ({ path, print }) => {
  expect(normalize(read(path))).toBe(normalize(await print()));
});

test('every page in docs/reference is generated, and none is longer than a reader looks through', () => {
  const files = globSync('docs/reference/**/*.md', { cwd: root });
  expect(files.toSorted()).toEqual(pages.map(({ path }) => path).toSorted());
  // Without the padding of tables.
  const lengthOf = (path: string): number => normalize(read(path)).length;
  expect(files.filter((path) => lengthOf(path) > 30_000)).toEqual([]);
});

describe('events', () => {
  test('every event has a note and every note an event', () => {
    expect(Object.keys(eventNotes).toSorted()).toEqual([...eventTypes()].toSorted());
  });

  test('every event is written somewhere in the engine', () => {
    const written = new Set<string>();
    visitSources('packages/core/src', (node, path) => {
      if (path.endsWith('trace/events.ts') || !ts.isPropertyAssignment(node)) return;
      if (node.name.getText() === 'event_type' && ts.isStringLiteral(node.initializer)) written.add(node.initializer.text);
    });
    // What only sessions keep.
    for (const type of ['ToolInvoked', 'StructuredOutputParsed', 'Custom']) written.delete(type);
    expect([...written].toSorted()).toEqual([...eventTypes()].toSorted());
  });
});

test('every error code of the sources has a case, and every case a code', () => {
  const covered = new Set([...errorCases.map(({ code }) => code), ...traceOnly.keys()]);
  expect([...covered].toSorted()).toEqual([...codesInSources()].toSorted());
});

describe('options', () => {
  test('every setting has a note and every note a setting', () => {
    expect(Object.keys(toolNotes).toSorted()).toEqual([...toolSettings().keys()].toSorted());
    expect(Object.keys(turnNotes).toSorted()).toEqual(
      turnSettings()
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  test('the profiles have exactly the settings of the page', () => {
    expect(Object.keys(profiles.spec.turn).toSorted()).toEqual(Object.keys(turnNotes).toSorted());
    const outer = new Set([...toolSettings().keys()].map((path) => path.split('.')[0] ?? ''));
    expect(Object.keys(profiles.adaptive.tool).toSorted()).toEqual([...outer].toSorted());
  });

  test('a manifest takes the turn keys of the page', () => {
    const turn = Object.entries(profiles.spec.turn).map(([name, value]) => `  ${snakeCase(name)}: ${JSON.stringify(value)}`);
    const { manifest, problems } = parseManifest(['turn:', ...turn, 'tools:', '  - id: a', '    run: { module: ./a.mjs }'].join('\n'));
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(manifest?.turn).toEqual(profiles.spec.turn);
  });
});
