/** Owns values as messages show them: short, on one line, never failing. */

const longest = 80;

export function shortJson(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = typeof value;
  }
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
