/** Concept pages have the same parts in the same order, and their tables say what the code says. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { profiles } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { eventNotes } from '../../tools/docs/event-notes.ts';
import { optionGroups } from '../../tools/docs/option-groups.ts';
import { show, standardOf, toolSettings } from '../../tools/docs/options-page.ts';
import { readInterface } from '../../tools/docs/source.ts';
import { anchorOf } from '../../tools/docs/split-page.ts';
import { allPages, coded, conceptPages, headingsOf, read, root, rowsOf } from './pages.ts';

const overviews = new Set(['docs/concepts/life-of-a-call.md', 'docs/concepts/life-of-a-turn.md']);
const parts = ['Use', 'Defaults', 'Events', 'Order with others', 'Anti-patterns'];

const plain = (text: string | undefined): string => (text ?? '').replaceAll(/[`'_]/g, '').trim();

/** What the code says about a default, by the name that a page uses for it. */
function standard(name: string): string | undefined {
  if (name.startsWith('turn.')) {
    const value = (profiles.spec.turn as unknown as Readonly<Record<string, unknown>>)[name.slice(5)];
    return value === undefined ? undefined : show(value);
  }
  if (toolSettings().has(name)) return standardOf(profiles.spec.tool, name);
  for (const { file, name: owner } of optionGroups) {
    const field = readInterface(file, owner).fields.find((each) => each.name === name);
    if (field) return field.standard ?? (field.optional ? 'none' : 'required');
  }
  return undefined;
}

describe.each(conceptPages.filter((page) => !overviews.has(page)))('%s', (page) => {
  test('has the parts in their order', () => {
    expect(headingsOf(page)).toEqual(parts);
  });

  test('names the defaults that the code has', () => {
    for (const [name, value] of rowsOf(page, 'Defaults')) {
      const setting = coded(name);
      expect(setting, name).toBeDefined();
      expect(plain(value), `default of ${setting}`).toBe(plain(standard(setting ?? '')));
    }
  });

  test('names events that exist, with their severity', () => {
    const notes: Readonly<Record<string, { readonly severity: string }>> = eventNotes;
    for (const [name, severity] of rowsOf(page, 'Events'))
      expect(severity, name).toBe(notes[coded(name) ?? '']?.severity ?? 'no such event');
  });
});

test('every event has its place on a concept page', () => {
  const named = new Set(conceptPages.flatMap((page) => rowsOf(page, 'Events').map(([name]) => coded(name))));
  expect(Object.keys(eventNotes).filter((type) => !named.has(type))).toEqual([]);
});

test('every setting of a tool or turn has its place on a concept page', () => {
  const named = new Set(conceptPages.flatMap((page) => rowsOf(page, 'Defaults').map(([name]) => coded(name))));
  const settings = [...toolSettings().keys(), ...Object.keys(profiles.spec.turn).map((name) => `turn.${name}`)];
  expect(settings.filter((path) => !named.has(path))).toEqual([]);
});

/** The page of a package on a registry has no files beside it: it links to the repository's address. */
const ownAddress = /^https:\/\/github\.com\/holdfast-dev\/holdfast\/(?:blob|tree)\/main\//;

test('links lead somewhere', () => {
  const broken = allPages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!#|mailto:)([^)#\s]+)/g)]
      .map(([, target]) => target ?? '')
      .filter((target) => ownAddress.test(target) || !/^https?:/.test(target))
      .filter(
        (target) => !existsSync(ownAddress.test(target) ? join(root, target.replace(ownAddress, '')) : join(root, dirname(page), target)),
      )
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test('anchors of links exist', () => {
  const anchorsOf = (page: string): ReadonlySet<string> => {
    const text = read(page).replaceAll(/^```[\s\S]*?^```/gmu, '');
    const headings = [...text.matchAll(/^#{1,6} (.+)$/gmu)].map(([, title = '']) =>
      anchorOf(title.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1')),
    );
    return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/gu)].map(([, id = '']) => id)]);
  };
  const broken = allPages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)]
      .map(([, path = '', anchor = '']) => ({ target: path === '' ? page : join(dirname(page), path), anchor }))
      .filter(({ target, anchor }) => target.endsWith('.md') && !anchorsOf(target).has(anchor))
      .map(({ target, anchor }) => `${page}: ${target}#${anchor}`),
  );
  expect(broken).toEqual([]);
});
