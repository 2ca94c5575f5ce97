/** Loads the JSON Schema of a file when its editor opens. */
import type { JsonSchema } from '@holdfast/core';
import { useEffect, useState } from 'react';

export function useSchema(open: boolean, load: () => Promise<{ readonly default: unknown }>): JsonSchema {
  const [schema, setSchema] = useState<JsonSchema>({});
  useEffect(() => {
    if (open) void load().then(({ default: loaded }) => setSchema(loaded as JsonSchema));
  }, [open, load]);
  return schema;
}
