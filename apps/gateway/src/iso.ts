/** Owns how a moment is told: ISO 8601, UTC. */

export const isoOf = (epochMs: number): string => new Date(epochMs).toISOString();
