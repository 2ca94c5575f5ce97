/** Owns formatting times: ISO 8601, UTC. */

export const toIso = (epochMs: number): string => new Date(epochMs).toISOString();
