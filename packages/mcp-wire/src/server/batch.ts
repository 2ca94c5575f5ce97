/** The only version in which a server must accept batches. */
export const batchVersion = '2025-03-26';
/** A longer batch is refused. */
export const maxBatch = 100;
