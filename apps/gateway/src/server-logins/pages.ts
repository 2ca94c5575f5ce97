/** Owns the pages that a browser sees after a login. */
import { pageHeaders, pageOf } from '../server-auth/page.ts';

export const donePage = (server: string, headers: Readonly<Record<string, string>>, loginsPage: string | undefined): Response =>
  page(200, 'Logged in', `The login to ${server} is complete. You can close this page.`, headers, loginsPage);

export const failedPage = (reason: string, status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  page(status, status === 404 ? 'Not found' : 'The login has failed', reason, headers);

const page = (status: number, title: string, text: string, headers: Readonly<Record<string, string>>, link?: string): Response =>
  new Response(pageOf(title, text, link), { status, headers: { ...pageHeaders, ...headers } });
