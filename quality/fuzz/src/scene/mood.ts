/** Owns how a tool is disposed: what its attempts come to, by and large. */
export type Mood = 'healthy' | 'flaky' | 'dead' | 'limited' | 'slow' | 'wrong' | 'anything';

export const moods: readonly Mood[] = ['healthy', 'flaky', 'dead', 'limited', 'slow', 'wrong', 'anything'];
