/**
 * Owns to which network addresses a name may resolve.
 *
 * Invariant: an address that contains another one (IPv4 in IPv6) must pass as both.
 */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { misuse } from '../options/fields.ts';

/** `network`: no loopback or link-local addresses. `public`: no private networks either. Or a list: only these addresses and ranges. */
export type AddressRule = 'any' | 'network' | 'public' | readonly string[];

/** Loopback, link-local (with the metadata services of clouds), unspecified, multicast and broadcast. */
const nearby = [
  '127.0.0.0/8',
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '255.255.255.255/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  '::1/128',
  '::/128',
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::/32',
];

/** Private networks, documentation, benchmarks, reserved ranges. */
const notPublic = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
  'fc00::/7',
  'fec0::/10',
  '2001:db8::/32',
  '100::/64',
];

/** Throws for an invalid rule. */
export function checkAddressRule(field: string, rule: unknown): AddressRule {
  if (rule === undefined) return 'network';
  if (rule === 'any' || rule === 'network' || rule === 'public') return rule;
  const hint = "choose 'any', 'network' or 'public', or give addresses and ranges such as ['10.1.0.0/16', '::1']";
  if (!Array.isArray(rule) || rule.length === 0) throw misuse(field, rule, hint);
  const ranges: readonly unknown[] = rule;
  ranges.forEach((range, index) => {
    if (typeof range !== 'string' || parsedRange(range) === undefined) throw misuse(`${field}[${index}]`, range, hint);
  });
  return [...(rule as readonly string[])];
}

/** Whether a connection to an address is allowed. Never for an invalid address. */
export function addressJudge(rule: AddressRule): (address: string) => boolean {
  if (rule === 'any') return () => true;
  if (typeof rule === 'string') {
    const refused = listOf(rule === 'public' ? [...nearby, ...notPublic] : nearby);
    return (address) => meant(address).every((each) => !isIn(refused, each)) && isIP(address) !== 0;
  }
  const allowed = listOf(rule);
  return (address) => isIP(address) !== 0 && isIn(allowed, meant(address).at(-1) ?? address);
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const parsed = parsedRange(range);
    if (parsed) list.addSubnet(parsed.address, parsed.bits, parsed.family);
  }
  return list;
}

interface Range {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

function parsedRange(range: string): Range | undefined {
  const [, address = '', digits] = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
  const length = isIPv4(address) ? 32 : isIPv6(address) ? 128 : undefined;
  const bits = digits === undefined ? length : Number(digits);
  if (length === undefined || bits === undefined || bits > length) return undefined;
  return { address, bits, family: length === 32 ? 'ipv4' : 'ipv6' };
}

const isIn = (list: BlockList, address: string): boolean => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');

/** The address, and the IPv4 address that it contains: mapped, compatible, translated (NAT64) or tunnelled (6to4). */
function meant(given: string): readonly string[] {
  const address = given.replace(/%.*$/, '');
  if (!isIPv6(address)) return [address];
  const groups = groupsOf(address);
  const [a, b, c] = groups;
  const zeros = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0);
  const last = dottedQuad(groups[6], groups[7]);
  if (zeros(0, 5) && groups[5] === 0xff_ff) return [last];
  if (zeros(0, 6) && ((groups[6] ?? 0) !== 0 || (groups[7] ?? 0) > 1)) return [address, last];
  if (a === 0x64 && b === 0xff_9b && zeros(2, 6)) return [address, last];
  if (a === 0x20_02) return [address, dottedQuad(b, c)];
  return [address];
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  // The host of a URL is normalized: it has no IPv4 notation.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const numbers = (part: string): number[] => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const [before, after] = [numbers(head), numbers(tail ?? '')];
  return [...before, ...Array.from<number>({ length: 8 - before.length - after.length }).fill(0), ...after];
}

const dottedQuad = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');
