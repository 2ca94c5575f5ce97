import { createClientAsync } from 'soap';
import { writeFileSync } from 'node:fs';
import { c } from '../world/index.mjs';
import { httpCases, label } from '../world/matrix.mjs';

export const packages = ['soap'];

const wsdl = (url) => `<?xml version="1.0"?><definitions name="Pay" targetNamespace="urn:p" xmlns:tns="urn:p" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><message name="In"><part name="amount" type="xsd:string"/></message><message name="Out"><part name="ok" type="xsd:string"/></message><portType name="T"><operation name="Pay"><input message="tns:In"/><output message="tns:Out"/></operation></portType><binding name="B" type="tns:T"><soap:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/><operation name="Pay"><soap:operation soapAction="pay"/><input><soap:body use="literal" namespace="urn:p"/></input><output><soap:body use="literal" namespace="urn:p"/></output></operation></binding><service name="S"><port name="P" binding="tns:B"><soap:address location="${url}"/></port></service></definitions>`;
let count = 0;
const call = async (base, w) => {
  const file = `${w.tmp}/pay${count++}.wsdl`;
  writeFileSync(file, wsdl(base));
  const client = await createClientAsync(file);
  await client.PayAsync({ amount: '5' }, { timeout: 2000 });
};
const fault = (code, text) => async (w) => call(w.canned({ status: 500, headers: { 'content-type': 'text/xml' }, body: `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault><faultcode>${code}</faultcode><faultstring>${text}</faultstring></soap:Fault></soap:Body></soap:Envelope>` }), w);

export const cases = [
  ...httpCases(call, { skip: ['401', '404', '422', '429', '503', '504'] }),
  c('fault-client', 'soap:Client: the request is wrong', fault('soap:Client', 'The amount is not a number'), { label: label('permanent', 'invalid_input', false) }),
  c('fault-auth', 'wsse:FailedAuthentication', fault('wsse:FailedAuthentication', 'The security token could not be authenticated'), { label: label('permanent', 'auth', false) }),
  c('fault-version', 'soap:VersionMismatch', fault('soap:VersionMismatch', 'Version mismatch'), { label: label('permanent', 'unsupported', false, { also: ['invalid_input', 'contract'] }) }),
  c('fault-server', 'soap:Server: the service is broken', fault('soap:Server', 'Internal failure'), { label: label('transient', 'unavailable', true) }),
];
