/** How many cases a costly property tries: its usual number, or that times `HOLDFAST_PROPERTY_RUNS`. Each run of the tests tries others. */
export const propertyRuns = (usual: number): number => Math.ceil(usual * Number(process.env['HOLDFAST_PROPERTY_RUNS'] ?? 1));
