/** Now, from a file; later, from a server. `await` takes both. */
/** A value, or a promise of it. */
export type Soon<Value> = Value | Promise<Value>;
