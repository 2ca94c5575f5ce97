/** Owns what can be a JSON Schema at all. */
import { isRecord, refuse, type Rule } from '@holdfast/core/internal/plain';

/** An object, or `true` or `false`. Its keywords are read where it is compiled. */
export const schemaRule: Rule = (value, field) => {
  if (typeof value !== 'boolean' && (!isRecord(value) || typeof value['then'] === 'function'))
    refuse(field, value, 'a JSON Schema object', '');
};
