/** Owns the shapes of texts, numbers and secrets, and the options of fields, for several tables. */
import {
  choice,
  either,
  type EitherShape,
  field,
  type FieldOptions,
  textOfForm,
  list,
  map,
  type MapShape,
  type NumberShape,
  record,
  type RecordShape,
  type TextShape,
} from '../shape/shape.ts';

/** The options of a field that has a default. */
export const by = (standard: unknown, options: FieldOptions = {}): FieldOptions => ({ default: standard, ...options });

/** A text that may be a secret by mistake. */
export const variable: TextShape = {
  ...textOfForm(String.raw`^[A-Za-z_][A-Za-z0-9_]*$`, 'the name of an environment variable'),
  secret: true,
};

/** The characters that every model provider accepts in the name of a tool. */
export const prefix: TextShape = {
  ...textOfForm('^[A-Za-z0-9_-]{0,48}$', "up to 48 letters, digits, '_' and '-', or '' for none"),
  empty: true,
};

export const host: TextShape = textOfForm(
  String.raw`^(\*\.)?([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`,
  'a host such as api.example.com, api.example.com:8443 or *.example.com',
);

/** A reference to a variable that is read at each call. */
export const secretReference: RecordShape = {
  ...record(
    'secret',
    field('env', variable, 'The environment variable that holds the value; it is read at each call.', { required: true }),
    field('prefix', { kind: 'text', empty: true }, 'The prefix of the value, such as `Bearer `.', { default: '' }),
  ),
  secret: true,
};

export const possiblyEmpty: TextShape = { kind: 'text', empty: true };
export const textOrSecret: EitherShape = either(possiblyEmpty, secretReference);
export const headers: MapShape = map(textOrSecret);

/** Longest delay of a timer. */
export const timer: NumberShape = { kind: 'number', integer: true, minimum: 0, maximum: 2_147_483_647, unit: 'milliseconds' };
/** A delay of at least 1 ms. */
export const period: NumberShape = { ...timer, minimum: 1 };
export const delay: NumberShape = { kind: 'number', minimum: 0, unit: 'milliseconds' };
export const port: NumberShape = { kind: 'number', integer: true, minimum: 0, maximum: 65_535 };
export const bytes: NumberShape = { kind: 'number', integer: true, minimum: 1, unit: 'bytes' };

const range = textOfForm('^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$', 'an address, or a range such as 10.1.0.0/16');

/** To which addresses a host name may resolve. */
export const addresses: EitherShape = either(choice('any', 'network', 'public'), { ...list(range), filled: true });
export const addressesDoc =
  'What a host name may resolve to: `network`: not this machine (but for `localhost`) and no link-local, unspecified or multicast address; `public`: no private network either; `any`; or a list of addresses and ranges. Addresses in the file itself are always allowed.';
