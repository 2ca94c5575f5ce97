import Joi from 'joi';
import * as yup from 'yup';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['joi', 'yup'];

const invalid = { label: label('permanent', 'invalid_input', false) };

export const cases = [
  c('joi-async', 'joi: a missing field', () => Joi.object({ a: Joi.string().required() }).validateAsync({}), invalid),
  c('joi-attempt', 'Joi.attempt', async () => Joi.attempt('x', Joi.number()), invalid),
  c('yup', 'yup: a field too short', () => yup.object({ a: yup.string().min(3) }).validate({ a: 'x' }), invalid),
  c('yup-all', 'yup: two fields', () => yup.object({ a: yup.string().required(), b: yup.number().positive() }).validate({ b: -1 }, { abortEarly: false }), invalid),
  c('joi-as-words', 'joi: a missing field; an error of its words, as behind a worker', () => Joi.object({ a: Joi.string().required() }).validateAsync({}).catch((e) => { throw new Error(String(e)); }), invalid),
  c('yup-as-words', 'yup: a field too short; an error of its words', () => yup.object({ a: yup.string().min(3) }).validate({ a: 'x' }).catch((e) => { throw new Error(String(e)); }), invalid),
];
