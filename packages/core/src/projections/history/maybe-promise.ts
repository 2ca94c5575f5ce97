/** Owns the type of results that a file returns at once and a server returns later. */
/** A value or a promise of it; `await` accepts both. */
export type MaybePromise<Value> = Value | Promise<Value>;
