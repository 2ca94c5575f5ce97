/** The one version in which a server has to take several messages at once. */
export const batchVersion = '2025-03-26';
/** A longer batch is refused. */
export const maxBatch = 100;
