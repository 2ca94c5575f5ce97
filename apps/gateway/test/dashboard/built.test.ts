/** The built dashboard: nothing inline, every file with its hash in the name, precompressed, and complete. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type DashboardFile, readDashboard } from '../../src/dashboard/files.ts';
import { installedDashboard } from '../../src/dashboard/installed.ts';

const folder = installedDashboard()?.folder ?? '';

const textOf = ({ variants }: DashboardFile): string => Buffer.from(variants.get('identity') ?? []).toString();

// `npm test` builds it first.
describe.skipIf(!existsSync(join(folder, 'index.html')))('the built dashboard', () => {
  test('has a page without inline scripts or styles, whose files exist', async () => {
    const { index, assets } = await readDashboard(folder);
    const page = textOf(index);
    expect(page).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|javascript:/i);
    const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((path) => !assets.has(path ?? ''))).toEqual([]);
  });

  test('has files with their hash in the name, which load from this origin only', async () => {
    const { assets } = await readDashboard(folder);
    for (const path of assets.keys()) expect(path).toMatch(/^\/assets\/[\w.-]+-[\w-]{8}\.[a-z]+$/);
    const styles = [...assets].filter(([path]) => path.endsWith('.css'));
    expect(styles.length).toBeGreaterThan(0);
    for (const [path, file] of styles)
      expect([path, /url\((?!["']?(?:data:|\/assets\/|#))|@import/.test(textOf(file))]).toEqual([path, false]);
  });

  test('has compressed variants with the same content', async () => {
    const { index, assets } = await readDashboard(folder);
    const scripts = [...assets].filter(([path]) => path.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(1);
    for (const file of [index, ...assets.values()]) {
      const [brotli, gzip] = [file.variants.get('br'), file.variants.get('gzip')];
      const texts = [brotli && brotliDecompressSync(brotli), gzip && gunzipSync(gzip)].flatMap((bytes) =>
        bytes ? [bytes.toString()] : [],
      );
      expect(texts).toEqual(texts.map(() => textOf(file)));
    }
    for (const [path, { variants }] of scripts) expect([path, variants.has('br'), variants.has('gzip')]).toEqual([path, true, true]);
  });
});
