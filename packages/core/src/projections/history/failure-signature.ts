/**
 * Owns when two failures are similar: their message without its variable parts, and the signature made from it.
 *
 * Invariant: the cost per message is bounded: only its beginning is read, and each pattern reads it once.
 */

const maxMessageLength = 200;

interface VariablePart {
  /** The pattern can only match a text with one of these characters, which is cheaper to check first. */
  readonly needs: string;
  readonly pattern: RegExp;
  readonly placeholder: string;
}

const digits = '0123456789';

/** Larger parts first, since later patterns would match pieces of them. */
const variableParts: readonly VariablePart[] = [
  { needs: '/', pattern: /\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'`<>()]+/gi, placeholder: '<url>' },
  { needs: '"\'`', pattern: /"[^"]{0,200}"|`[^`]{0,200}`|(?<![\p{L}\p{N}])'[^']{0,200}'(?![\p{L}\p{N}])/gu, placeholder: '<text>' },
  { needs: '-', pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, placeholder: '<id>' },
  {
    needs: '-',
    pattern: /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/g,
    placeholder: '<time>',
  },
  { needs: '@', pattern: /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g, placeholder: '<email>' },
  { needs: '.[', pattern: /\[[0-9a-f:]{2,39}\](?::\d{1,5})?|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/gi, placeholder: '<address>' },
  { needs: ':', pattern: /(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}(?::\d{1,5})?(?![\w:])/gi, placeholder: '<address>' },
  { needs: ':', pattern: /\b(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z]{2,24}:\d{1,5}\b/gi, placeholder: '<address>' },
  { needs: 'l', pattern: /\blocalhost(?::\d{1,5})?\b/gi, placeholder: '<address>' },
  { needs: '/\\', pattern: /(?<![\w<])(?:[A-Za-z]:\\|~?\/|\.{1,2}\/)[^\s:;,"'`<>()]{1,200}/g, placeholder: '<path>' },
  { needs: digits, pattern: /\b(?=[0-9a-f]*\d)(?:0x)?[0-9a-f]{8,64}\b/gi, placeholder: '<id>' },
  { needs: digits, pattern: /\b(?=[a-z_-]{0,64}\d)[a-z0-9]+(?:[_-][a-z0-9]+)*\b/gi, placeholder: '<id>' },
];

/** Words with digits that are not ids: numbers with a unit. */
const numberWithUnit = /^\d+(?:\.\d+)?(ms|s|m|h|d|b|kb|mb|gb|kib|mib|gib|px|k|st|nd|rd|th)?$/i;

/** Returns the message with placeholders for its variable parts, such as `connect ECONNREFUSED <address>`. */
export function patternOf(message: string): string {
  let text = message.slice(0, maxMessageLength).replace(/\s+/g, ' ').trim();
  for (const { needs, pattern, placeholder } of variableParts) {
    if (hasOneOf(text, needs)) text = text.replace(pattern, (found) => (numberWithUnit.test(found) ? found : placeholder));
  }
  return text.replace(/(?<![\w<])[+-]?\d+(?:[.,]\d+)*/g, '<n>');
}

function hasOneOf(text: string, characters: string): boolean {
  for (const character of characters) if (text.includes(character)) return true;
  return false;
}

/** 16 hexadecimal digits. */
export function signatureOf(tool: string, code: string, pattern: string): string {
  const text = `${tool}\0${code}\0${pattern}`;
  return hash(text, 0x81_1c_9d_c5) + hash(text, 0x9e_37_79_b9);
}

/** FNV-1a over UTF-16 units, mixed at the end. */
function hash(text: string, start: number): string {
  let value = start;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01_00_01_93);
  value = Math.imul(value ^ (value >>> 16), 0x85_eb_ca_6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2_b2_ae_35);
  return ((value ^ (value >>> 16)) >>> 0).toString(16).padStart(8, '0');
}
