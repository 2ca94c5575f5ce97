/** Owns lazy creation: a value is created on first use, and only once. A failed creation is tried again. */
export function once<Value>(make: () => Promise<Value>): {
  readonly get: () => Promise<Value>;
  readonly made: () => Promise<Value> | undefined;
} {
  let value: Promise<Value> | undefined;
  const get = (): Promise<Value> => {
    if (value !== undefined) return value;
    const made = make();
    value = made;
    made.catch(() => {
      if (value === made) value = undefined;
    });
    return made;
  };
  return { get, made: () => value };
}
