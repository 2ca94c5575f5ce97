/** Owns how a tool tends to fail. */
export type FailureMode = 'healthy' | 'flaky' | 'dead' | 'limited' | 'slow' | 'wrong' | 'anything';

export const failureModes: readonly FailureMode[] = ['healthy', 'flaky', 'dead', 'limited', 'slow', 'wrong', 'anything'];
