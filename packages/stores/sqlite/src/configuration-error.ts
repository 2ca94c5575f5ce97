/**
 * Why a store cannot use its path: the path itself, a file of a newer version, a file of another program, or no file (with `readOnly`).
 */
export type StoreConfigurationCode =
  | 'HOLDFAST_STORE_PATH'
  | 'HOLDFAST_STORE_NEWER_SCHEMA'
  | 'HOLDFAST_STORE_FOREIGN_FILE'
  | 'HOLDFAST_STORE_MISSING';

/** The store cannot use this path, and waiting does not help. Thrown at construction only. */
export class StoreConfigurationError extends Error {
  /** Name of the class; `isConfigurationError` recognizes the error by it. */
  override readonly name: string = 'StoreConfigurationError';
  /** Why the store cannot use its path. */
  readonly code: StoreConfigurationCode;

  constructor(code: StoreConfigurationCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns whether an error is a `StoreConfigurationError`. */
export function isConfigurationError(error: unknown): error is StoreConfigurationError {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'StoreConfigurationError';
}
