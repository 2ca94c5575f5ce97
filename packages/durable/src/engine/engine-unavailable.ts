/** Owns the error of an unavailable engine. Recognised by its code. */

/** `unreachable`: no connection, or a lost one. `timeout`: no answer in time. `fault`: the engine answered with an error. */
export type EngineTrouble = 'unreachable' | 'timeout' | 'fault';

/** The engine could not be reached, did not answer in time or answered with an error. Recognize it with `isEngineUnavailable`. */
export interface EngineUnavailable extends Error {
  /** Discriminates this error from all others. */
  readonly code: 'ENGINE_UNAVAILABLE';
  /** What failed between this process and the engine. */
  readonly trouble: EngineTrouble;
}

export const engineUnavailable = (trouble: EngineTrouble, message: string, cause?: unknown): EngineUnavailable =>
  Object.assign(new Error(message, { cause }), { name: 'EngineUnavailable', code: 'ENGINE_UNAVAILABLE' as const, trouble });

/** Whether the engine was lost, did not answer in time or answered with an error. */
export const isEngineUnavailable = (error: unknown): error is EngineUnavailable =>
  error instanceof Error && 'code' in error && error.code === 'ENGINE_UNAVAILABLE';
