import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualSystem } from '@holdfast/core/testing';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sizeWithin } from '../../src/calls/wire-size.ts';
import { servers, tool } from '../catalog/scene.ts';
import { callsScene, type CallsScene, errorOf, type ScenePart, text, textOf } from './scene.ts';

const read = { annotations: { readOnlyHint: true } };

async function sceneOf(
  result: () => JsonObject,
  { results = '', more = {}, ...options }: ScenePart & { readonly results?: string; readonly more?: JsonObject } = {},
): Promise<CallsScene> {
  const source = servers(['a'], `gateway: { tool_lock: off, results: { max_bytes: 100000${results} } }`);
  const scene = await callsScene(source, { a: [tool('big', { ...read, ...more })] }, options);
  scene.upstream('a').onCall = result;
  onTestFinished(() => scene.calls.close());
  return scene;
}

const contentOf = (result: JsonObject): readonly JsonObject[] => result['content'] as readonly JsonObject[];
const linksOf = (result: JsonObject): readonly JsonObject[] => contentOf(result).filter(({ type }) => type === 'resource_link');
const readOf = async (scene: CallsScene, uri: unknown): Promise<JsonObject> => {
  const whole = await scene.calls.readSpilled(String(uri), undefined);
  return (whole?.['contents'] as readonly JsonObject[] | undefined)?.[0] ?? {};
};

describe('a result within the limit', () => {
  it('is passed on by reference', async () => {
    const result = text('x'.repeat(99_000));
    const scene = await sceneOf(() => result);
    expect(await scene.call('a__big')).toBe(result);
  });
});

describe('a string that is too large', () => {
  it('is replaced by its start and a link; the complete text is a resource', async () => {
    const whole = `${'ä'.repeat(70_000)}END`;
    const scene = await sceneOf(() => ({
      content: [
        { type: 'text', text: 'small' },
        { type: 'text', text: whole, annotations: { a: 1 } },
      ],
      'x-top': 1,
    }));
    const result = await scene.call('a__big');
    expect(result).toMatchObject({
      'x-top': 1,
      content: [
        { type: 'text', text: 'small' },
        { annotations: { a: 1 } },
        { type: 'resource_link', mimeType: 'text/plain', size: 140_003 },
      ],
    });
    expect(result['isError']).toBeUndefined();
    const [link] = linksOf(result);
    const shown = String(contentOf(result)[1]?.['text']);
    expect(shown.startsWith('ä'.repeat(8000))).toBe(true);
    expect(shown).toContain(`The complete content is available as resource ${String(link?.['uri'])}`);
    expect(sizeWithin(result, Infinity)).toBeLessThan(100_000);
    expect(await readOf(scene, link?.['uri'])).toEqual({ uri: link?.['uri'], mimeType: 'text/plain', text: whole });
    expect(scene.calls.status().spilledBytes).toBe(140_003);
  });

  it('can be read in parts, until the end', async () => {
    const whole = Array.from({ length: 30_000 }, (_, index) => `${index},`).join('');
    const scene = await sceneOf(() => text(whole));
    const uri = linksOf(await scene.call('a__big'))[0]?.['uri'];
    let next: unknown = `${String(uri)}?offset=0&limit=50000`;
    let joined = '';
    while (next !== undefined) {
      const part: JsonObject = await readOf(scene, next);
      joined += String(part['text']);
      next = (part['_meta'] as JsonObject | undefined)?.['dev.holdfast/next'];
    }
    expect(joined).toBe(whole);
    await expect(scene.calls.readSpilled(`${String(uri)}?offset=-1`, undefined)).rejects.toMatchObject({ code: -32_602 });
  });

  it('is cut between characters', async () => {
    const scene = await sceneOf(() => text(`x${'😀'.repeat(40_000)}`));
    const shown = String(contentOf(await scene.call('a__big'))[0]?.['text']);
    expect(shown).not.toMatch(/\p{Surrogate}/u);
  });

  it('of an error is redacted, its start and the complete text', async () => {
    const scene = await sceneOf(() => ({ ...text(`not found ${'password=hunter22 '.repeat(10_000)}`), isError: true }));
    const result = await scene.call('a__big');
    expect(result['isError']).toBe(true);
    expect(textOf(result)).not.toContain('hunter22');
    const kept = await readOf(scene, linksOf(result)[0]?.['uri']);
    expect(String(kept['text'])).toContain('password=[redacted]');
    expect(String(kept['text'])).not.toContain('hunter22');
    expect(errorOf(result)).toMatchObject({ category: 'not_found' });
  });
});

describe('other content that is too large', () => {
  const bytes = Buffer.alloc(150_000, 7);

  it.each([
    ['an image', { type: 'image', mimeType: 'image/png', data: bytes.toString('base64') }, 'image/png'],
    ['an audio', { type: 'audio', mimeType: 'audio/wav', data: bytes.toString('base64') }, 'audio/wav'],
    [
      'an embedded blob',
      { type: 'resource', resource: { uri: 'a://b', mimeType: 'application/pdf', blob: bytes.toString('base64') } },
      'application/pdf',
    ],
  ])('is kept as bytes: %s', async (_what, part, mimeType) => {
    const scene = await sceneOf(() => ({ content: [part] }));
    const result = await scene.call('a__big');
    const [link] = linksOf(result);
    expect(link).toMatchObject({ mimeType, size: 150_000 });
    expect(textOf(result)).toContain(`This ${mimeType} of 150000 bytes is too large`);
    const kept = await readOf(scene, link?.['uri']);
    expect(Buffer.from(String(kept['blob']), 'base64').equals(bytes)).toBe(true);
    const part2 = await readOf(scene, `${String(link?.['uri'])}?offset=149999&limit=10`);
    expect(Buffer.from(String(part2['blob']), 'base64')).toEqual(Buffer.from([7]));
  });

  it('is kept as JSON if its kind is unknown, and so are very many small parts', async () => {
    const unknown = { type: 'hologram', cells: 'z'.repeat(120_000) };
    const scene = await sceneOf(() => ({ content: [unknown] }));
    const kept = await readOf(scene, linksOf(await scene.call('a__big'))[0]?.['uri']);
    expect(JSON.parse(String(kept['text']))).toEqual(unknown);
    const many = Array.from({ length: 5000 }, (_, index) => ({ type: 'text', text: `part ${index}` }));
    scene.upstream('a').onCall = () => ({ content: many });
    const result = await scene.call('a__big');
    expect(sizeWithin(result, Infinity)).toBeLessThan(100_000);
    expect(contentOf(result)[0]).toEqual(many[0]);
    expect(JSON.parse(String((await readOf(scene, linksOf(result).at(-1)?.['uri']))['text']))).toEqual(many);
  });

  it('of an embedded text is kept with its kind', async () => {
    const scene = await sceneOf(() => ({
      content: [{ type: 'resource', resource: { uri: 'a://b', mimeType: 'text/csv', text: 'a,b\n'.repeat(40_000) } }],
    }));
    expect(linksOf(await scene.call('a__big'))[0]).toMatchObject({ mimeType: 'text/csv', size: 160_000 });
  });
});

describe('a structured result that is too large', () => {
  const outputSchema = { type: 'object', properties: { content: { type: 'string' }, list: { type: 'array' } }, required: ['content'] };

  it('is shortened if its schema allows it', async () => {
    const whole = { content: 'line\n'.repeat(50_000) };
    const scene = await sceneOf(() => ({ content: [{ type: 'text', text: whole.content }], structuredContent: whole }), {
      more: { outputSchema },
    });
    const result = await scene.call('a__big');
    expect(result['isError']).toBeUndefined();
    const small = result['structuredContent'] as { readonly content: string };
    expect(small.content.startsWith('line\nline\n')).toBe(true);
    expect(small.content).toMatch(/… \[truncated, complete: holdfast:\/\/results\/[\w-]{22}\]$/);
    expect(sizeWithin(result, Infinity)).toBeLessThan(100_000);
    const [link] = linksOf(result);
    expect(JSON.parse(String((await readOf(scene, link?.['uri']))['text']))).toEqual(whole);
  });

  it('is an error if the schema does not allow it: clients would reject the result', async () => {
    const strict = { type: 'object', properties: { content: { type: 'string', minLength: 200_000 } } };
    const scene = await sceneOf(() => ({ content: [], structuredContent: { content: 'x'.repeat(250_000) } }), {
      more: { outputSchema: strict },
    });
    const result = await scene.call('a__big');
    expect(result['isError']).toBe(true);
    expect(result['structuredContent']).toBeUndefined();
    expect(errorOf(result)).toEqual({
      code: 'RESULT_TOO_LARGE',
      category: 'payload_too_large',
      classification: 'permanent',
      retryable: false,
    });
    expect(textOf(result)).toContain('The structured result has 250014 characters');
  });

  it('without a schema is shortened, or left out', async () => {
    const scene = await sceneOf(() => ({
      content: [],
      structuredContent: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key-${index}`, index])),
    }));
    const result = await scene.call('a__big');
    expect(result['isError']).toBeUndefined();
    expect(result['structuredContent']).toBeUndefined();
    expect(linksOf(result)).toHaveLength(1);
  });
});

describe('what is kept', () => {
  const big = (letter: string): JsonObject => text(letter.repeat(150_000));

  it('is removed after its time', async () => {
    const system = manualSystem();
    const scene = await sceneOf(() => big('x'), { system, results: ', keep_ms: 60000' });
    const uri = String(linksOf(await scene.call('a__big'))[0]?.['uri']);
    await system.advance(59_999);
    expect(await scene.calls.readSpilled(uri, undefined)).toBeDefined();
    await system.advance(1);
    expect(await scene.calls.readSpilled(uri, undefined)).toBeUndefined();
    expect(scene.calls.status().spilledBytes).toBe(0);
    expect(system.pendingTimers).toBe(0);
  });

  it('stays within the limit: the oldest is removed first, and a larger one is not kept', async () => {
    const scene = await sceneOf(() => big('x'), { results: ', keep_bytes: 400000' });
    const uris: string[] = [];
    for (let count = 0; count < 3; count++) uris.push(String(linksOf(await scene.call('a__big'))[0]?.['uri']));
    expect(await Promise.all(uris.map(async (uri) => (await scene.calls.readSpilled(uri, undefined)) !== undefined))).toEqual([
      false,
      true,
      true,
    ]);
    expect(scene.calls.status().spilledBytes).toBe(300_000);
    scene.upstream('a').onCall = () => text('y'.repeat(500_000));
    const result = await scene.call('a__big');
    expect(linksOf(result)).toEqual([]);
    expect(textOf(result)).toContain('The rest is not kept: request less.');
  });

  it('is in files that only the owner can read, and removed at the end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-spill-test-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const [old, foreign] = [join(folder, 'A'.repeat(22)), join(folder, 'notes.txt')];
    for (const file of [old, foreign]) {
      await writeFile(file, 'x');
      await utimes(file, 1, 1);
    }
    const scene = await sceneOf(() => big('x'), { resultsFolder: folder });
    const uri = String(linksOf(await scene.call('a__big'))[0]?.['uri']);
    const id = uri.split('/').at(-1) ?? '';
    expect((await stat(join(folder, id))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await readdir(folder)).toSorted()).toEqual([id, 'notes.txt'].toSorted());
    await scene.calls.close();
    expect(await readdir(folder)).toEqual(['notes.txt']);
  });

  it.each([
    'holdfast://results/',
    'holdfast://results/../../etc/passwd',
    'holdfast://results/AAAAAAAAAAAAAAAAAAAAAA',
    'file:///etc/passwd',
    '',
  ])('is not %j', async (uri) => {
    const scene = await sceneOf(() => big('x'));
    expect(await scene.calls.readSpilled(uri, undefined)).toBeUndefined();
  });
});

describe('the size of a value', () => {
  it('is close to that of its JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const size = sizeWithin(value, Infinity);
        const json = Buffer.byteLength(JSON.stringify(value));
        expect(size).toBeGreaterThan(json / 8 - 10);
        expect(size).toBeLessThan(json * 3 + 20);
      }),
    );
  });
});

describe('a result of very many parts', () => {
  const many = (count: number): JsonObject[] => Array.from({ length: count }, (_, n) => ({ type: 'text', text: `${n} password=hunter22` }));

  it('that is an error is cut before it is redacted: what is shown and what is kept have no secrets', async () => {
    const scene = await sceneOf(() => ({ isError: true, content: many(20_000) }));
    const result = await scene.call('a__big');
    expect(result).toMatchObject({ isError: true, _meta: { 'dev.holdfast/error': { code: expect.any(String) } } });
    expect(JSON.stringify(result)).not.toContain('hunter22');
    expect(textOf(result)).toContain('0 password=[redacted]');
    expect(textOf(result)).toMatch(/It has 20000 parts, of which \d+ are shown/);
    const [link] = linksOf(result);
    const { text: whole } = await readOf(scene, link?.['uri']);
    expect(String(whole).length).toBeGreaterThan(1_000);
    expect(whole).not.toContain('hunter22');
  });

  it('is kept as a whole', async () => {
    const scene = await sceneOf(() => ({ content: many(5_000) }));
    const [link] = linksOf(await scene.call('a__big'));
    expect(JSON.parse(String((await readOf(scene, link?.['uri']))['text']))).toEqual(many(5_000));
  });

  it('with more names than fit is not shortened again and again', async () => {
    const structuredContent = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`name ${n}`, n]));
    const scene = await sceneOf(() => ({ content: [], structuredContent }));
    const result = await scene.call('a__big');
    expect(result).not.toHaveProperty('structuredContent');
    expect(JSON.parse(String((await readOf(scene, linksOf(result)[0]?.['uri']))['text']))).toEqual(structuredContent);
  });
});
