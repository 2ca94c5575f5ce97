/** The building blocks of the lab's reports. */
export { chart } from './chart.ts';
export { duration, percent, type Figure } from './figure.ts';
export { comparisonData, labMetrics, metricData, type LabMetric, type MetricUnit, type MetricValues } from './metric-data.ts';
export { bars, judge, type Bars, type Verdict } from './judgement.ts';
export { peersPage, summaryPage, worldPage, type RunDescription, type WorldReport } from './pages.ts';
export { standingOf, type Standing } from './standing.ts';
export { comparisonTable, markdownTable } from './table.ts';
