/** Owns what is to be said about the figures beyond themselves. */

const remarks: Readonly<Record<string, string>> = {};

export function remarksOf(world: string): string | undefined {
  return remarks[world];
}

export const summaryRemarks = '';
