/** The number of cases of an expensive property: its usual number, or that times `HOLDFAST_PROPERTY_RUNS`. Each run of the tests uses other cases. */
export const propertyRuns = (usual: number): number => Math.ceil(usual * Number(process.env['HOLDFAST_PROPERTY_RUNS'] ?? 1));
