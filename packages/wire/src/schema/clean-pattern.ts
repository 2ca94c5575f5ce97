/**
 * Owns turning the patterns of other regular expression languages into ones that compile with the `u` flag.
 * Does not own what a pattern means: one that cannot be kept is left out, never guessed.
 */

/** Letters that stand for something behind a backslash, with the `u` flag. */
const escapes = 'dDsSwWbBfnrtvcxukpP0123456789';
const syntax = '^$\\.*+?()[]{}|/';

/** The pattern as JavaScript compiles it, or `undefined` when it has none. */
export function cleanPattern(pattern: string): string | undefined {
  if (compiles(pattern)) return pattern;
  const plain = fixEscapes(
    pattern
      .replaceAll('(?P<', '(?<')
      .replaceAll(/\(\?P=(\w+)\)/g, '\\k<$1>')
      .replaceAll(/\\A/g, '^')
      .replaceAll(/\\[zZ]/g, '$'),
  );
  return compiles(plain) ? plain : undefined;
}

function compiles(pattern: string): boolean {
  try {
    void new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Needless backslashes go, and a `-` in a class that is no range gets one. */
function fixEscapes(pattern: string): string {
  let repaired = '';
  let inClass = false;
  for (let index = 0; index < pattern.length; index += 1) {
    const letter = pattern[index] ?? '';
    if (letter === '\\') {
      const escaped = pattern[(index += 1)] ?? '';
      const kept = escapes.includes(escaped) || syntax.includes(escaped) || (escaped === '-' && inClass);
      repaired += kept ? letter + escaped : escaped;
    } else if (inClass && letter === '-' && besideSet(pattern, index)) repaired += '\\-';
    else {
      if (letter === '[') inClass = true;
      if (letter === ']') inClass = false;
      repaired += letter;
    }
  }
  return repaired;
}

/** `\w-` or `-\w`: with a set on one side it can be no range. */
const besideSet = (pattern: string, index: number): boolean =>
  /\\[dDsSwW]$/.test(pattern.slice(Math.max(0, index - 2), index)) || /^\\[dDsSwW]/.test(pattern.slice(index + 1, index + 3));
