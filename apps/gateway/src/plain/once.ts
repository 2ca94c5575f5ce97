/** Owns making something when it is first wanted, and only once; what failed is tried again. */
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
