import type * as httpLinkModule from './http-link.ts';

/** The HTTP client is heavy, and stdio servers need none. */
export async function loadHttpLink(): Promise<typeof httpLinkModule.httpLink> {
  return (await import('./http-link.ts')).httpLink;
}
