/** Owns the version of the gateway. */
import { readFileSync } from 'node:fs';

const text: string = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

export const version: string = (JSON.parse(text) as { readonly version: string }).version;
