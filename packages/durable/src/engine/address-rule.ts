/** Owns the rule of an address in options. */
import { mapOf, refuse, type Rule } from '@holdfast/core/internal/plain';

/** An address may contain a secret, so no message shows it. */
export const addressRule: Rule = (value, field) => {
  if (typeof value !== 'string') refuse(field, value, 'an address such as http://127.0.0.1:8080', '');
  if (!URL.canParse(value as string)) throw new TypeError(`${field} cannot be read. Give an address such as http://127.0.0.1:8080.`);
};

export const headersRule: Rule = mapOf('string', 'an object of strings by name');
