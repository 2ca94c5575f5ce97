import { sdk3 } from '../support/sdk-3.ts';
import { describeOpenTelemetry } from './suite.ts';

describeOpenTelemetry(sdk3());
