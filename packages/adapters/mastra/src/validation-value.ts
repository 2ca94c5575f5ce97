/** Owns the values that Mastra's tools return, not throw, for what does not match a schema. They are passed on as they are. */

/** What a tool of Mastra returns when its input, output, context or suspension does not match the schema. */
export interface ValidationValue {
  readonly error: true;
  readonly message: string;
}

/** Thrown inside the service for a returned validation error, so that the call does not count as successful. */
export class SchemaMismatchError extends Error {
  /** An output was rejected once its tool had run. */
  readonly ambiguous: boolean;
  /** Whether the arguments were rejected, so that the tool was not run. */
  readonly isOfArguments: boolean;

  constructor({ message }: ValidationValue) {
    super(message);
    this.name = 'SchemaMismatchError';
    this.isOfArguments = message.startsWith('Tool input validation failed');
    this.ambiguous = !this.isOfArguments;
  }
}

/** Settings of every tool: what breaks a schema, or what Mastra marks so, is no reason to repeat the call. */
export const mastraPolicy = {
  classification: [
    { name: 'SchemaMismatchError', as: 'permanent', category: 'contract' },
    { name: 'MastraNonRetryableError', as: 'permanent' },
  ],
} as const;

export function isValidationValue(output: unknown): output is ValidationValue {
  if (typeof output !== 'object' || output === null) return false;
  const { error, message } = output as Partial<ValidationValue>;
  return error === true && typeof message === 'string' && 'validationErrors' in output;
}
