import type * as httpLinkModule from './http-link.ts';

/** Loads the HTTP client lazily, since stdio servers do not need it. */
export async function loadHttpLink(): Promise<typeof httpLinkModule.httpLink> {
  return (await import('./http-link.ts')).httpLink;
}
