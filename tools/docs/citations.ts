/**
 * Owns the citations of `docs/specification.md`: how code refers to a condition (`docs/specification.md#s0-6-1`, a further one in the same
 * sentence `#s1-6-1`), and the links that pages make of them.
 */
const citation = /(?:docs\/specification\.md)?#(s[0-4](?:-[a-z0-9]+)*)\b/g;
const number = /\bS([0-4])(?: (\d)(?:\.(\d))?)?(?![\w-])/g;

/** `s0-6-1` → `S0 6.1`; `s2-feedback` → `S2 feedback`. */
const nameOf = (anchor: string): string => {
  const [source = '', ...rest] = anchor.split('-');
  return [source.toUpperCase(), rest.join(/^\d/.test(rest[0] ?? '') ? '.' : ' ')].filter((part) => part !== '').join(' ');
};

const link = (anchor: string): string => `[${nameOf(anchor)}](../specification.md#${anchor})`;

/** Every citation in `text` as a link, from a page of `docs/reference`. */
export function withLinks(text: string): string {
  return text
    .split(/(\[[^\]]*\]\([^)]*\)|`[^`]*`)/)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part
            .replaceAll(citation, (_, anchor: string) => link(anchor))
            .split(/(\[[^\]]*\]\([^)]*\))/)
            .map((piece, place) =>
              place % 2 === 1
                ? piece
                : piece.replaceAll(number, (_, source: string, ...numbers: unknown[]) =>
                    link(['s' + source, ...numbers.slice(0, 2).filter((part): part is string => typeof part === 'string')].join('-')),
                  ),
            )
            .join(''),
    )
    .join('');
}

/** Every anchor that a file cites. */
export const citedIn = (text: string): readonly string[] => [...text.matchAll(citation)].map(([, anchor = '']) => anchor);

/** The anchors that the specification has. */
export const anchorsIn = (specification: string): ReadonlySet<string> =>
  new Set([...specification.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, anchor = '']) => anchor));
