/** Owns formatting values for messages: short, on one line, never throwing. */
import { truncate } from '@holdfast/core/internal/plain';

const maxLength = 80;

export function shortJson(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? String(value);
  } catch {
    text = typeof value;
  }
  return truncate(text, maxLength);
}
