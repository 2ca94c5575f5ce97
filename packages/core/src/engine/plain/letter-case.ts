/** Owns the conversion of names between TypeScript and data. */

/** `max_attempts` → `maxAttempts`. */
export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `maxAttempts` → `max_attempts`. Each capital begins a word: `sentAIds` → `sent_a_ids`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
