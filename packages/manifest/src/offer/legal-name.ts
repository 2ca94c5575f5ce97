/** Owns which characters a name may have: those that every host and model provider accepts. */

export const legalName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
