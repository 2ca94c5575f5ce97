import { describe, expect, it } from 'vitest';
import { type JsonObject, type ListPage, pagesOf } from '../../src/client/index.ts';

/** A server with these cursors, page by page; the last one repeats. Remembers what was requested. */
function serverWith(...cursors: readonly unknown[]) {
  const requests: (readonly [string, JsonObject])[] = [];
  const request = (method: string, params: JsonObject): Promise<JsonObject> => {
    requests.push([method, params]);
    const nextCursor = cursors[Math.min(requests.length, cursors.length) - 1];
    return Promise.resolve({ items: [requests.length], ...(nextCursor === undefined ? {} : { nextCursor }) });
  };
  return { requests, request };
}

async function collect(pages: AsyncIterable<ListPage>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const { result, number, more } of pages) all.push(`${number} ${JSON.stringify(result['items'])} ${more}`);
  return all;
}

describe('pagesOf', () => {
  it('requests page after page until there is no cursor', async () => {
    const { requests, request } = serverWith('b', 'c', undefined);
    expect(await collect(pagesOf(request, 'tools/list'))).toEqual(['1 [1] next', '2 [2] next', '3 [3] none']);
    expect(requests).toEqual([
      ['tools/list', {}],
      ['tools/list', { cursor: 'b' }],
      ['tools/list', { cursor: 'c' }],
    ]);
  });

  it.each([[''], [7], [null]])('takes the cursor %j for the end', async (cursor) => {
    expect(await collect(pagesOf(serverWith(cursor).request, 'tools/list'))).toEqual(['1 [1] none']);
  });

  it('ends at a cursor that it has seen', async () => {
    const { requests, request } = serverWith('a', 'b', 'a');
    expect(await collect(pagesOf(request, 'tools/list'))).toEqual(['1 [1] next', '2 [2] next', '3 [3] repeated']);
    expect(requests).toHaveLength(3);
  });

  it('ends at its limit of pages, for a server whose list never ends', async () => {
    let count = 0;
    const request = (): Promise<JsonObject> => Promise.resolve({ nextCursor: String((count += 1)) });
    const pages = await collect(pagesOf(request, 'tools/list', 3));
    expect(pages.map((page) => page.split(' ').at(-1))).toEqual(['next', 'next', 'limit']);
    count = 0;
    expect(await collect(pagesOf(request, 'tools/list'))).toHaveLength(1_000);
  });

  it('requests nothing more when the loop is left, and rejects like a request', async () => {
    const { requests, request } = serverWith('a', 'b', undefined);
    for await (const { number } of pagesOf(request, 'tools/list')) if (number === 1) break;
    expect(requests).toHaveLength(1);
    await expect(collect(pagesOf(() => Promise.reject(new Error('gone')), 'tools/list'))).rejects.toThrow('gone');
  });
});
