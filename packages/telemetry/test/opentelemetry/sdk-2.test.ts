import { sdk2 } from '../support/sdk-2.ts';
import { describeOpenTelemetry } from './suite.ts';

describeOpenTelemetry(sdk2());
