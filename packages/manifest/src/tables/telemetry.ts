/** Owns the table of `telemetry`. */
import { field, record, type RecordShape, url } from '../shape/shape.ts';
import { by, headers } from './strings.ts';

const otlp: RecordShape = record(
  'otlp',
  field(
    'url',
    url,
    'The address of the collector for OTLP over HTTP, such as http://127.0.0.1:4318. Spans are sent to its path /v1/traces.',
    {
      required: true,
    },
  ),
  field('headers', headers, 'Further headers of each request.', by({})),
);

export const telemetryShape: RecordShape = record(
  'telemetry',
  field('otlp', otlp, 'Where spans are sent, in place of the `OTEL_EXPORTER_OTLP_` variables.', {
    default: 'the variables, if they are set',
  }),
);
