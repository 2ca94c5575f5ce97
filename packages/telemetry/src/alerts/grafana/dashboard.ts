/** Owns the dashboard as Grafana's JSON: schema 38, for Grafana 9.5 and later. The import asks for the Prometheus data source. */
import { panelRows, type Panel, type PanelRow } from './panels.ts';

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

const source = { type: 'prometheus', uid: '${datasource}' };
const COLUMNS = 24;

/** JSON. */
export function grafanaDashboard(): Json {
  return {
    uid: 'holdfast',
    title: 'Holdfast',
    description:
      'Tool calls of agents: what fails, what was retried and why not, circuits, turns. Printed by "holdfast rules --print grafana".',
    tags: ['holdfast'],
    schemaVersion: 38,
    editable: true,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    templating: { list: [sourceVariable, toolVariable] },
    annotations: { list: [firingAnnotation] },
    panels: laidOut(panelRows),
  };
}

const sourceVariable: Json = { name: 'datasource', type: 'datasource', label: 'Prometheus', query: 'prometheus', hide: 0 };

const toolVariable: Json = {
  name: 'tool',
  type: 'query',
  label: 'Tool',
  datasource: source,
  query: { query: 'label_values(holdfast_tool_calls_total, tool)', refId: 'tools' },
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: '.+',
  current: { text: 'All', value: '$__all' },
};

/** Annotations of Prometheus alerts, if the printed rules are loaded. */
const firingAnnotation: Json = {
  name: 'Alerts',
  datasource: source,
  enable: true,
  expr: 'ALERTS{alertstate="firing", alertname=~"Tool.+|Circuit.+|Response.+|Turn.+|Retry.+|Work.+|Trace.+|ErrorBudget.+"}',
  titleFormat: '{{alertname}} {{tool}}',
  iconColor: 'red',
};

function laidOut(rows: readonly PanelRow[]): readonly Json[] {
  const panels: Json[] = [];
  let y = 0;
  const add = (panel: Json, x: number, width: number, height: number): void => {
    panels.push({ id: panels.length + 1, gridPos: { x, y, w: width, h: height }, ...panel });
  };
  for (const { title, panels: own } of rows) {
    add({ type: 'row', title, collapsed: false, panels: [] }, 0, COLUMNS, 1);
    y += 1;
    let x = 0;
    for (const panel of own) {
      if (x + panel.width > COLUMNS) {
        x = 0;
        y += heightOf(panel);
      }
      add(panelOf(panel), x, panel.width, heightOf(panel));
      x += panel.width;
    }
    y += heightOf(own.at(-1));
  }
  return panels;
}

const heightOf = (panel: Panel | undefined): number => (panel?.kind === 'stat' ? 4 : 8);

function panelOf({ title, description, kind, unit, queries, redFrom }: Panel): Json {
  const steps = [{ color: 'green', value: null }, ...(redFrom === undefined ? [] : [{ color: 'red', value: redFrom }])];
  const thresholds = { mode: 'absolute', steps };
  return {
    type: kind,
    title,
    description,
    datasource: source,
    targets: queries.map(({ expression, legend }, index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource: source,
      expr: expression,
      legendFormat: legend,
      range: true,
    })),
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        ...(kind === 'state-timeline' ? { mappings: circuitMappings } : {}),
        thresholds,
        custom: custom(kind, redFrom),
      },
      overrides: [],
    },
    options: options(kind),
  };
}

const circuitMappings: readonly Json[] = [
  {
    type: 'value',
    options: {
      0: { text: 'closed', color: 'green', index: 0 },
      1: { text: 'half-open', color: 'yellow', index: 1 },
      2: { text: 'open', color: 'red', index: 2 },
    },
  },
];

function custom(kind: Panel['kind'], redFrom: number | undefined): Json {
  if (kind !== 'timeseries') return {};
  return { fillOpacity: 10, showPoints: 'never', ...(redFrom === undefined ? {} : { thresholdsStyle: { mode: 'dashed' } }) };
}

function options(kind: Panel['kind']): Json {
  if (kind === 'stat')
    return { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false }, colorMode: 'value', graphMode: 'area' };
  if (kind === 'state-timeline') return { showValue: 'auto', mergeValues: true, legend: { showLegend: false } };
  return { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } };
}
