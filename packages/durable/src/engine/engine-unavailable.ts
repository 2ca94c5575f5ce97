/** Owns the one error of an engine that cannot be asked: recognised by its code. */

/** `unreachable`: no connection, or a lost one. `timeout`: no answer in time. `fault`: the engine answered that it cannot. */
export type EngineTrouble = 'unreachable' | 'timeout' | 'fault';

/** The engine could not be reached, did not answer in time or answered with an error. Recognize it with `isEngineUnavailable`. */
export interface EngineUnavailable extends Error {
  /** Discriminates this error from all others. */
  readonly code: 'ENGINE_UNAVAILABLE';
  /** What went wrong between this process and the engine. */
  readonly trouble: EngineTrouble;
}

export const engineUnavailable = (trouble: EngineTrouble, message: string, cause?: unknown): EngineUnavailable =>
  Object.assign(new Error(message, { cause }), { name: 'EngineUnavailable', code: 'ENGINE_UNAVAILABLE' as const, trouble });

/** Whether the engine was lost, did not answer in time or answered with a fault of its own. */
export const isEngineUnavailable = (error: unknown): error is EngineUnavailable =>
  error instanceof Error && 'code' in error && error.code === 'ENGINE_UNAVAILABLE';
