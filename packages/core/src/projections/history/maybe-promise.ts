/** Now, from a file; later, from a server. `await` takes both. */
export type Soon<Value> = Value | Promise<Value>;
