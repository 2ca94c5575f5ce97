/** A value while it is being built: assigned field by field where spreads would cost several times as much. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
