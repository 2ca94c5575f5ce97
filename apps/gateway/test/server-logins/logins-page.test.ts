/** The page `/logins` of the built dashboard in a real browser, through the pages of an authorization server and back. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installedDashboard } from '../../src/dashboard/installed.ts';
import { connectHttp } from '../fixtures/client/http-client.ts';
import type { AnsweredError } from '../fixtures/client/raw-client.ts';
import { openScene, type Scene, secretOf } from './scene.ts';

const folder = installedDashboard()?.folder ?? '';
const people = { operator: ['call', 'read', 'operate'], alice: ['call'] };

// `npm test` builds it first.
describe.skipIf(!existsSync(join(folder, 'index.html')))('the page of logins', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: process.env['HOLDFAST_CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
  });
  afterAll(() => browser.close());

  interface Opened extends AsyncDisposable {
    readonly page: Page;
    readonly problems: readonly string[];
    readonly addresses: readonly string[];
  }

  async function open({ origin }: Scene, path: string): Promise<Opened> {
    const context = await browser.newContext();
    const page = await context.newPage();
    const problems: string[] = [];
    const addresses: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (line) => void (line.type() === 'error' && problems.push(line.text())));
    page.on('request', (request) => void addresses.push(request.url()));
    await page.goto(`${origin}${path}`);
    return { page, problems, addresses, [Symbol.asyncDispose]: () => context.close() };
  }

  const rowOf = (page: Page, owner: string) => page.getByRole('row').filter({ hasText: owner });

  const comeBack = (page: Page): Promise<void> => page.getByRole('link', { name: 'All logins' }).click();

  test('an operator logs the gateway in, comes back, and logs it out', async () => {
    const scene = await openScene({ people, dashboard: folder });
    await using opened = await open(scene, `/logins#token=${secretOf('operator')}`);
    const { page, problems, addresses } = opened;
    const row = rowOf(page, 'the gateway');
    await row.getByText('login required').waitFor();
    await row.getByRole('button', { name: 'Log in to crm for the gateway' }).click();
    await comeBack(page);
    await row.getByText('logged in').waitFor();
    expect(page.url()).toBe(`${scene.origin}/logins`);
    expect(addresses.some((url) => url.startsWith(`${scene.world.issuer}/authorize`))).toBe(true);
    expect(addresses.filter((url) => url.includes(secretOf('operator')))).toEqual([]);

    await row.getByRole('button', { name: 'Log out of crm for the gateway' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Log out' }).click();
    await row.getByText('login required').waitFor();
    expect(scene.world.revoked.length).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });

  test('a client without the role read logs itself in alone, and is told which role the other screens need', async () => {
    const scene = await openScene({ people, dashboard: folder, server: { isolation: 'per_principal' } });
    await using opened = await open(scene, `/logins?server=crm#token=${secretOf('alice')}`);
    const { page } = opened;
    await page.getByText('A call needs a login to crm.').waitFor();
    await page.getByText("This requires the role 'read', which this client does not have.").waitFor();
    expect(await page.getByText('role missing', { exact: true }).count()).toBe(1);
    expect(await page.getByText('token required').count()).toBe(0);
    await page.getByTitle('You act as alice').waitFor();

    const gateway = page.getByRole('button', { name: 'Log in to crm for the gateway' });
    expect(await gateway.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Log in to crm for alice' }).click();
    await comeBack(page);
    await rowOf(page, 'alice').getByText('logged in').waitFor();
    expect(await page.getByText('A call needs a login to crm.').count()).toBe(0);
  });

  test('without tokens, the link that a client was given logs the gateway in; a guessed one does not', async () => {
    const scene = await openScene({ dashboard: folder });
    await using client = await connectHttp(scene.gateway.url, { era: 'legacy', capabilities: { elicitation: { url: {} } } });
    const { data } = (await client.call('crm__who').catch((reason: unknown) => reason)) as AnsweredError;
    const [{ url }] = (data as { readonly elicitations: [{ readonly url: string }] }).elicitations;
    await using opened = await open(scene, '/logins?server=crm&link=guessed');
    const { page } = opened;
    const button = page.getByRole('button', { name: 'Log in to crm for the gateway' });
    await button.click();
    await page.getByRole('alert').getByText("requires the role 'operate'").waitFor();
    await page.goto(url);
    await button.click();
    await comeBack(page);
    await rowOf(page, 'the gateway').getByText('logged in').waitFor();
  });
});
