import { parse } from 'csv-parse/sync';
import { parseStringPromise } from 'xml2js';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import YAML from 'yaml';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['csv-parse', 'xml2js', 'fast-xml-parser', 'yaml'];

const bad = { label: label('permanent', 'invalid_input', false, { also: ['contract', 'bug'], unscored: ['ambiguous'] }) };

export const cases = [
  c('csv-quote', 'csv-parse: an open quote', async () => parse('a,"b'), bad),
  c('csv-columns', 'csv-parse: a row that is too short', async () => parse('a,b\n1', { columns: true }), bad),
  c('xml2js', 'xml2js: tags that do not match', () => parseStringPromise('<a><b></a>'), bad),
  c('xml2js-text', 'xml2js: not XML', () => parseStringPromise('hello'), bad),
  c('fast-xml', 'fast-xml-parser: tags that do not match', async () => new XMLParser().parse('<a><b></a>', true), bad),
  c('yaml', 'yaml: a mapping that does not parse', async () => YAML.parse('a: b: c'), bad),
  c('yaml-alias', 'yaml: an unknown alias', async () => YAML.parse('a: *b'), bad),
  c('xml-validator', 'fast-xml-parser: the validator', async () => { const out = XMLValidator.validate('<a>'); if (out !== true) throw Object.assign(new Error(out.err.msg), out.err); }, bad),
];
