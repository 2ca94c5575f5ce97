/** Owns the page that a browser sees after a login: plain, without scripts. */

/** The page must not be framed, cached, or tell its address (which has the code) to anyone. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** `link`: the address of the page of all logins. */
export function pageOf(title: string, text: string, link?: string): string {
  const more = link === undefined ? '' : `<p><a href="${escaped(link)}">All logins</a></p>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><h1>${escaped(title)}</h1><p>${escaped(text)}</p>${more}</html>\n`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
