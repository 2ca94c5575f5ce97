/** A fetch wrapper that keeps transcripts valid. */
export { guardFetch } from './guard-fetch.ts';
export type { Fetch, FetchReport, GuardFetchOptions } from './guard-fetch.ts';
