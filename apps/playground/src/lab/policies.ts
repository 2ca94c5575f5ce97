/** Owns which policies have single calls to show: the engine's own, which write a trace. */

export const hasCalls = (policy: string): boolean => policy !== 'none' && !policy.startsWith('peer:');
