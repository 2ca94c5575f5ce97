/** A long page is split without losing a section or breaking a link. */
import { expect, test } from 'vitest';
import { anchorOf, splitPage } from '../../tools/docs/split-page.ts';

const page = `# Settings

See [One](#one), [deep](#deep) and [the guide](../guide/cli.md).

## One

Of [two](#two) and [other](other.md#x).

### deep

## Two

### deep

[deep](#deep), [one](#one), [out](https://example.com)`;

const part = { file: 'two', title: 'The second', about: 'All about two.' };

test('the index keeps the intro and what no part names, and lists the parts', () => {
  const [index, two] = splitPage('docs/reference/settings.md', page, [{ ...part, sections: ['Two'] }]);
  expect(index?.path).toBe('docs/reference/settings.md');
  expect(index?.text).toContain('See [One](#one), [deep](#deep) and [the guide](../guide/cli.md).');
  expect(index?.text).toContain('| [The second](settings/two.md) | All about two. |');
  expect(index?.text).toContain('## One\n\nOf [two](settings/two.md#two) and [other](other.md#x).\n\n### deep');
  expect(two?.path).toBe('docs/reference/settings/two.md');
  expect(two?.text).toBe(
    '# The second\n\nAll about two. Part of [Settings](../settings.md).\n\n## Two\n\n### deep\n\n[deep](#deep), [one](../settings.md#one), [out](https://example.com)',
  );
});

test('a part of a section moves up a level, and relative links move with it', () => {
  const [index, one] = splitPage('docs/reference/settings.md', page.replace('### deep', '### deep\n\n[o](other.md)'), [
    { ...part, sections: ['One/deep'] },
  ]);
  expect(one?.text).toContain('\n\n## deep\n\n[o](../other.md)');
  expect(index?.text).toContain('## Two\n\n### deep');
});

test('a section that does not exist is refused', () => {
  expect(() => splitPage('a.md', page, [{ ...part, sections: ['Three'] }])).toThrow("a.md has no section 'Three'.");
});

test('anchors are those of a code host', () => {
  expect(['`GET /v1/turns/{turn_id}`', 'retry_policy', "A fleet's circuits"].map(anchorOf)).toEqual([
    'get-v1turnsturn_id',
    'retry_policy',
    'a-fleets-circuits',
  ]);
});
