/** Owns reading JSON as hosts write it: with comments and commas before a closing bracket. */

/** @throws SyntaxError */
export function parseHostJson(text: string): unknown {
  return JSON.parse(withoutComments(text.replace(/^\uFEFF/, '')));
}

/** Strings are kept as they are. */
const parts = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*[}\]])/g;

const withoutComments = (text: string): string => text.replaceAll(parts, (part) => (part.startsWith('"') ? part : ''));
