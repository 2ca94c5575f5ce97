/**
 * Owns reading `WWW-Authenticate`: the `Bearer` and `DPoP` challenges of a server. Linear in the length of the header.
 */

export interface Challenge {
  /** Lower case: `bearer` or `dpop`. */
  readonly scheme: string;
  readonly resourceMetadata: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly error: string | undefined;
}

const maxChars = 4_096;
const token = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const quoted = /"((?:[^"\\]|\\.)*)"/y;
const space = /[ \t,]*/y;
const equals = /[ \t]*=[ \t]*/y;

/** Returns the first `Bearer` challenge, else the first `DPoP` challenge. */
export function readChallenge(header: string | string[] | undefined): Challenge | undefined {
  const text = (Array.isArray(header) ? header.join(', ') : (header ?? '')).slice(0, maxChars);
  const all = challengesIn(text);
  const found = all.find(({ scheme }) => scheme === 'bearer') ?? all.find(({ scheme }) => scheme === 'dpop');
  if (found === undefined) return undefined;
  const { scheme, params } = found;
  const scope = params.get('scope');
  return {
    scheme,
    resourceMetadata: params.get('resource_metadata'),
    scopes: scope === undefined ? undefined : scopesOf(scope),
    error: params.get('error'),
  };
}

export const scopesOf = (text: string): readonly string[] => [...new Set(text.split(' ').filter((scope) => scope !== ''))];

interface Found {
  readonly scheme: string;
  readonly params: Map<string, string>;
}

function challengesIn(text: string): readonly Found[] {
  const all: Found[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text) ?? undefined;
    if (match !== undefined) at = pattern.lastIndex;
    return match;
  };
  while (at < text.length) {
    take(space);
    const name = take(token)?.[0];
    // What cannot be read is skipped, character by character.
    if (name === undefined) at += 1;
    else if (take(equals) === undefined) all.push({ scheme: name.toLowerCase(), params: new Map() });
    else {
      const value = take(quoted)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? take(token)?.[0] ?? '';
      const params = all.at(-1)?.params;
      if (params !== undefined && !params.has(name.toLowerCase())) params.set(name.toLowerCase(), value);
    }
  }
  return all;
}
