/**
 * Owns whether a URI may match a URI template (RFC 6570). Only the literal parts are compared, in linear time for any template:
 * the server decides whether it knows the URI.
 */

const expression = /\{[^{}]*\}/;
const maxTemplateLength = 4096;

/** Returns the number of literal characters of the template in the URI (more is more specific); `undefined` if it cannot match. */
export function templateFit(template: string, uri: string): number | undefined {
  if (template.length > maxTemplateLength) return undefined;
  const literals = template.split(expression);
  const first = literals[0] ?? '';
  if (literals.length === 1) return template === uri ? template.length : undefined;
  const last = literals.at(-1) ?? '';
  if (!uri.startsWith(first) || !uri.endsWith(last)) return undefined;
  let place = first.length;
  const end = uri.length - last.length;
  if (place > end) return undefined;
  for (const literal of literals.slice(1, -1)) {
    const found = uri.indexOf(literal, place);
    if (found < 0 || found + literal.length > end) return undefined;
    place = found + literal.length;
  }
  return literals.reduce((sum, literal) => sum + literal.length, 0);
}
