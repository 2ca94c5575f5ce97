/** Owns checking arguments against schemas that servers wrote: their mistakes are not the client's. */
import type { JsonSchemaCompiler } from '@holdfast/core';
import { compileJsonSchema } from '@holdfast/wire';

/** For the service's `jsonSchema`. A schema that cannot be used checks nothing. */
export const compileArguments: JsonSchemaCompiler = (schema) => {
  const check = compileJsonSchema(schema);
  let isUsable = true;
  return (value) => {
    if (!isUsable) return [];
    try {
      return check(value);
    } catch {
      isUsable = false;
      return [];
    }
  };
};
