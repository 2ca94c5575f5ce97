export type StoreConfigurationCode =
  | 'HOLDFAST_STORE_PATH'
  | 'HOLDFAST_STORE_NEWER_SCHEMA'
  | 'HOLDFAST_STORE_FOREIGN_FILE'
  | 'HOLDFAST_STORE_MISSING';

/** The store cannot work with this path, and waiting would not help. Thrown at construction only. */
export class StoreConfigurationError extends Error {
  override readonly name: string = 'StoreConfigurationError';
  readonly code: StoreConfigurationCode;

  constructor(code: StoreConfigurationCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function isConfigurationError(error: unknown): error is StoreConfigurationError {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'StoreConfigurationError';
}
