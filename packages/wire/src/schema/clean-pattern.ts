/**
 * Owns converting patterns of other regular expression dialects to ones that compile with the `u` flag.
 * A pattern that cannot be converted is left out, never guessed.
 */

/** Characters with a meaning after a backslash, with the `u` flag. */
const escapes = 'dDsSwWbBfnrtvcxukpP0123456789';
const syntax = '^$\\.*+?()[]{}|/';

/** Converts a pattern to one JavaScript compiles, or returns `undefined`. */
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

/** Removes unnecessary backslashes, and escapes a `-` in a class that is not a range. */
function fixEscapes(pattern: string): string {
  let repaired = '';
  let inClass = false;
  for (let index = 0; index < pattern.length; index += 1) {
    const char = pattern[index] ?? '';
    if (char === '\\') {
      const escaped = pattern[(index += 1)] ?? '';
      const kept = escapes.includes(escaped) || syntax.includes(escaped) || (escaped === '-' && inClass);
      repaired += kept ? char + escaped : escaped;
    } else if (inClass && char === '-' && besideSet(pattern, index)) repaired += '\\-';
    else {
      if (char === '[') inClass = true;
      if (char === ']') inClass = false;
      repaired += char;
    }
  }
  return repaired;
}

/** `\w-` or `-\w`: next to a character set, `-` cannot be a range. */
const besideSet = (pattern: string, index: number): boolean =>
  /\\[dDsSwW]$/.test(pattern.slice(Math.max(0, index - 2), index)) || /^\\[dDsSwW]/.test(pattern.slice(index + 1, index + 3));
